import type { Background } from '../background/background.ts'
import { stagedEdits } from '../background/staging.ts'
import { rowId } from '../list/list-state.ts'
import type { ScreenOrObjects, ServerList } from '../screens.ts'
import { serverList } from '../selected.ts'
import { showOverlay } from '../show-overlay.ts'
import { currentList, type State, withList } from '../state.ts'
import { countedParts } from '../text/change-text.ts'
import { deletionDiff, editDiff } from '../text/plan-diff.ts'
import { textInput } from '../text/text-input.ts'
import type { Action, Ui } from '../ui.ts'
import { askChange } from './ask-change.ts'
import { confirmChanges } from './confirm-changes.ts'
import { lacking } from './lacking.ts'

const SCREENS: readonly ScreenOrObjects[] = ['contacts', 'deals', 'objects']

export const STAGING: readonly Action[] = [
  {
    id: 'bulk-edit',
    isOfMarks: true,
    title: 'Change a member of all marked rows; w sends it',
    screens: SCREENS,
    keys: ['b'],
    refusal: lacking('update'),
    run: askChange,
  },
  {
    id: 'commit',
    title: 'Show the edits as a plan, and send them',
    screens: SCREENS,
    keys: ['w'],
    refusal: (state) => (isNothingStaged(state) ? 'nothing is edited; b edits the marked rows' : undefined),
    run: askCommit,
  },
  {
    id: 'unstage',
    title: 'Discard edits that were not sent',
    screens: SCREENS,
    keys: ['U'],
    refusal: (state) => (isNothingStaged(state) ? 'nothing is edited' : undefined),
    run: askDiscard,
  },
]

function isNothingStaged(state: State): boolean {
  const { staged, held } = currentList(state)
  return staged.size + held.size === 0
}

function askDiscard(ui: Ui): void {
  const { store, background } = ui
  const name = serverList(store.get())
  const { staged, held } = currentList(store.get())
  const count = staged.size + held.size
  showOverlay(ui, {
    type: 'confirm',
    title: `Discard ${count === 1 ? 'the edit that was' : `${count} edits that were`} not sent?`,
    lines: ['They cannot be brought back.'],
    verb: 'Discard',
    isOnCancel: true,
    expected: undefined,
    input: textInput(),
    onConfirm: () => {
      store.update((state) => withList(state, name, (list) => ({ ...list, staged: new Map() })))
      background.deletions.release(name)
    },
  })
}

function askCommit(ui: Ui): void {
  const { store, background } = ui
  const state = store.get()
  const name = serverList(state)
  const { held } = state.lists[name]
  const edits = stagedEdits(state.lists[name])
  const deleted = background.deletions.waiting(name).filter((row) => held.has(rowId(row) ?? ''))
  const count = edits.length + deleted.length
  const parts = countedParts({ update: edits.length, deletion: deleted.length })
  confirmChanges(ui, {
    title: `Send ${parts.join(' and ')} to ${state.place.text}?`,
    diff: [...editDiff(edits), ...deletionDiff(deleted)],
    verb: 'Send',
    count,
    onConfirm: () => void commitAll(background, name),
  })
}

async function commitAll({ commit, deletions, kept }: Background, name: ServerList): Promise<void> {
  await commit(name)
  await deletions.commit(name)
  kept.settle()
}
