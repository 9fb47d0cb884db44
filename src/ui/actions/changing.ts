import { CrmError } from '../../core/errors.ts'
import { leadOf, lookText } from '../background/notices.ts'
import { actedOn, selectedRow, serverList } from '../board.ts'
import { openForm } from '../form/open-form.ts'
import { rowId } from '../list/list-state.ts'
import { isWritable, type ScreenName, SERVER_SCREENS, serverLists } from '../screens.ts'
import { askLine, type State } from '../state.ts'
import { recordName } from '../text/change-text.ts'
import type { Action, Ui } from '../ui.ts'
import { action, onScreens } from '../ui.ts'
import { askChange, askChanges, confirmChanges } from './ask-changes.ts'
import { editOnTerminal } from './jobs.ts'
import { chooseStage, moveCard, stageRefusal } from './move-deal.ts'

function lacking(operation: 'create' | 'update' | 'delete'): (state: State) => string | undefined {
  return (state) => state.offered.lacks[`${operation} ${serverList(state)}`]
}

/** A text that was not saved is opened again by the next edit of its record, with the error as a comment. */
async function editInEditor(ui: Ui): Promise<void> {
  const { store, boards } = ui
  const { drafts, notices, writes } = ui.background
  const row = selectedRow(store.get(), boards)
  if (!row) return notices.wait('There is no row to edit')
  const list = serverList(store.get())
  const key = `${list} ${rowId(row) ?? ''}`
  const fields = store.get().offered.fields[list]
  const isShown = (member: string) => isWritable(fields, member, 'update')
  const edited = await editOnTerminal(ui, row, { isShown, draft: drafts.get(key) })
  if (!edited) return
  if (Object.keys(edited.patch).length === 0) {
    drafts.delete(key)
    await edited.forget()
    return notices.wait('Nothing was changed, and nothing sent')
  }
  try {
    await writes.update(list, row, edited.patch, false)
    drafts.delete(key)
    await edited.forget()
  } catch (failure) {
    if (failure instanceof CrmError) drafts.set(key, { text: edited.text, problem: failure.message })
    const stays = `E opens the text again; it stays in ${edited.path}`
    const failed = `${recordName(row)} not saved (${stays}): `
    const open = `Change of ${recordName(row)} (${lookText(list, rowId(row) ?? '')}; ${stays}): `
    notices.problem(failure, leadOf(failure, { failed, open }))
  }
}

const DEALS: readonly ScreenName[] = ['deals', 'pipelines']

export const CHANGING: readonly Action[] = [
  action('create', 'n', 'Create a record', {
    screens: SERVER_SCREENS,
    footer: 'new',
    refusal: lacking('create'),
    run: create,
  }),
  action('edit', 'e', 'Edit in a form', {
    screens: SERVER_SCREENS,
    footer: 'edit',
    refusal: lacking('update'),
    run: edit,
  }),
  action('bulk-edit', 'b', 'Change a member of all marked rows, after their plan; one u takes all back', {
    screens: serverLists(),
    isOfMarks: true,
    refusal: lacking('update'),
    run: askChange,
  }),
  ...onScreens(SERVER_SCREENS, [
    action('edit-yaml', 'E', 'Edit as YAML in $EDITOR', {
      refusal: lacking('update'),
      run: (ui) => void editInEditor(ui),
    }),
    action('delete', 'd', 'Delete after their plan; one u takes all back', {
      footer: 'delete',
      isOfMarks: true,
      refusal: lacking('delete'),
      run: askDeletion,
    }),
    action('note', 'a', 'Add a note to the record; Ctrl-O begins a new line of it', {
      footer: 'note',
      isOfMarks: true,
      refusal: (state) => state.offered.lacks[`create notes on ${serverList(state)}`],
      run: askNote,
    }),
  ]),
  action('move', 'm', 'Move the deal to another stage, where the server lets deals be changed', {
    screens: DEALS,
    footer: 'move',
    isOfMarks: true,
    refusal: stageRefusal,
    run: (ui) => void chooseStage(ui),
  }),
  action('move-left', '<', 'Move the deal one stage to the left, and go with it', {
    screens: ['pipelines'],
    refusal: stageRefusal,
    run: (ui) => moveCard(ui, -1),
  }),
  action('move-right', '>', 'Move the deal one stage to the right, and go with it', {
    screens: ['pipelines'],
    refusal: stageRefusal,
    run: (ui) => moveCard(ui, 1),
  }),
  action('stop-sending', 'X', 'Stop sending; what is left stays in the job', {
    footer: 'stop',
    isAlwaysFirst: true,
    refusal: ({ underWay }) =>
      underWay.some(({ progress }) => progress !== undefined) ? undefined : 'no rows are being sent',
    run: ({ background }) => void background.underWay.stop(),
  }),
  action('undo', 'u', 'Take back the last change, after its reverse plan; on Jobs, the job under the cursor', {
    footer: 'undo',
    run: askUndo,
  }),
  action('redo', 'ctrl-r', 'Do again what u took back, after its plan', { run: (ui) => void askReverse(ui, 'redo') }),
]

function create(ui: Ui): void {
  openForm(ui, serverList(ui.store.get()), undefined)
}

function edit(ui: Ui): void {
  const row = selectedRow(ui.store.get(), ui.boards)
  if (!row) return void ui.background.notices.wait('There is no row to edit')
  openForm(ui, serverList(ui.store.get()), row)
}

function askNote(ui: Ui): void {
  const { store, background, boards } = ui
  const list = serverList(store.get())
  const row = actedOn(store.get(), boards)[0]
  if (!row || rowId(row) === undefined) return void background.notices.wait('There is no record to add a note to')
  const ask = (text: string) =>
    askLine(ui, {
      ...{ label: `Note for ${recordName(row)}:`, hasLines: true, text, enter: 'adds it · Ctrl-O new line' },
      onSubmit: (body) => void send(body),
    })
  const send = async (body: string) => {
    if (body.trim() === '') return
    try {
      await background.writes.addNote(list, row, body)
    } catch (error) {
      background.notices.problem(error, leadOf(error, { failed: 'Note not added: ', open: 'The note: ' }))
      // Shows the typed text again.
      if (!store.get().overlay) ask(body)
    }
  }
  ask('')
}

async function askReverse(ui: Ui, of: Parameters<Ui['background']['planReverse']>[0]): Promise<void> {
  const plan = await ui.background.planReverse(of)
  if (!plan) return
  // Something else was opened while the records were read.
  if (ui.store.get().overlay) return plan.drop()
  const { send, drop, ...question } = plan
  confirmChanges(ui, { ...question, onConfirm: () => void send(), onCancel: drop })
}

function askUndo(ui: Ui): void {
  if (ui.store.get().screen !== 'jobs') return void askReverse(ui, 'undo')
  const jobId = rowId(selectedRow(ui.store.get(), ui.boards))
  if (jobId === undefined) ui.background.notices.wait('There is no job to undo')
  else void askReverse(ui, { jobId })
}

function askDeletion(ui: Ui): void {
  const { store, background, boards } = ui
  const rows = actedOn(store.get(), boards).filter((row) => rowId(row) !== undefined)
  if (rows.length === 0) return void background.notices.wait('There is no row to delete')
  const name = serverList(store.get())
  const isForGood = store.get().offered.lacks[`create ${name}`] !== undefined
  const lines = isForGood ? ['This cannot be taken back: the server creates none.'] : []
  askChanges(ui, { name, changes: rows.map((row) => ({ row, patch: null })), lines })
}
