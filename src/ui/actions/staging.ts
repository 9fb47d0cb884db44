import { jsonText } from '../../output/json-text.ts'
import { safeText } from '../../output/safe-text.ts'
import { rowId } from '../list/list-state.ts'
import type { ScreenName } from '../screens.ts'
import { actedOn, serverList } from '../selected.ts'
import { currentList, withList } from '../state.ts'
import { refusalOf } from '../text/refusal-of.ts'
import { textInput } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'
import { checkedAssignment } from '../work/checked-assignment.ts'
import { nameOf } from '../work/deletions.ts'
import { stage } from '../work/staging.ts'
import type { Action } from './action.ts'

const SCREENS: readonly ScreenName[] = ['contacts', 'deals']
const LINES_SHOWN = 6

export const STAGING: readonly Action[] = [
  {
    id: 'bulk-edit',
    title: 'Change a member of all marked rows; w sends it',
    screens: SCREENS,
    keys: ['b'],
    run: askChange,
  },
  {
    id: 'commit',
    title: 'Show what was edited as a plan, and send it',
    screens: SCREENS,
    keys: ['w'],
    refusal: (state) =>
      currentList(state).staged.size === 0 ? 'nothing is edited; b edits the marked rows' : undefined,
    run: askCommit,
  },
  {
    id: 'unstage',
    title: 'Let go of edits that were not sent',
    screens: SCREENS,
    keys: ['U'],
    refusal: (state) => (currentList(state).staged.size === 0 ? 'nothing is edited' : undefined),
    run: ({ store }) =>
      store.update((state) => withList(state, serverList(state), (list) => ({ ...list, staged: new Map() }))),
  },
]

function askChange({ store, work, boards }: Ui): void {
  const rows = actedOn(store.get(), boards)
  if (rows.length === 0) return void work.notices.wait('There is no row to change')
  const what = rows.length === 1 ? nameOf(rows[0]) : `${rows.length} rows`
  const name = serverList(store.get())
  const parse = (text: string) => checkedAssignment(text, name, store.get().lists[name].rows)
  store.update((state) => ({
    ...state,
    overlay: {
      type: 'prompt',
      label: `Change in ${what} (member=value):`,
      input: textInput(),
      refusal: (text) => refusalOf(() => parse(text)),
      onSubmit: (text) => store.update((now) => withList(now, name, (list) => stage(list, rows, parse(text)))),
    },
  }))
}

function askCommit({ store, work }: Ui): void {
  const state = store.get()
  const name = serverList(state)
  const { rows, staged } = state.lists[name]
  const edited = rows.filter((row) => staged.has(rowId(row) ?? ''))
  const lines = edited
    .slice(0, LINES_SHOWN)
    .map((row) => `${nameOf(row)}: ${safeText(jsonText(staged.get(rowId(row) ?? '')))}`)
  const more = edited.length > LINES_SHOWN ? [`and ${edited.length - LINES_SHOWN} more`] : []
  store.update((before) => ({
    ...before,
    overlay: {
      type: 'confirm',
      title: `Send ${edited.length} updates to ${before.place.text}?`,
      lines: [...lines, ...more],
      verb: 'Send',
      isOnCancel: true,
      expected: before.place.isProtected ? String(edited.length) : undefined,
      input: textInput(),
      onConfirm: () => void work.commit(name),
    },
  }))
}
