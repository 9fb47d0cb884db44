import { leadOf } from '../background/notices.ts'
import type { PlanReverse } from '../background/plan-reverse.ts'
import { openForm } from '../form/open-form.ts'
import { rowId } from '../list/list-state.ts'
import { type ScreenName, SERVER_SCREENS, serverLists } from '../screens.ts'
import { actedOn, selectedRow, serverList } from '../selected.ts'
import { recordName } from '../text/change-text.ts'
import { textInput } from '../text/text-input.ts'
import type { Action, Ui } from '../ui.ts'
import { askChange } from './ask-change.ts'
import { askChanges } from './ask-changes.ts'
import { chooseStage } from './choose-stage.ts'
import { confirmChanges } from './confirm-changes.ts'
import { editInEditor } from './edit-yaml.ts'
import { lacking, noteRefusal } from './lacking.ts'
import { moveCard, stageRefusal } from './move-card.ts'

const DEALS: readonly ScreenName[] = ['deals', 'pipelines']

export const CHANGING: readonly Action[] = [
  {
    id: 'create',
    title: 'Create a record',
    screens: SERVER_SCREENS,
    keys: ['n'],
    footer: 'new',
    refusal: lacking('create'),
    run: create,
  },
  {
    id: 'edit',
    title: 'Edit in a form',
    screens: SERVER_SCREENS,
    keys: ['e'],
    footer: 'edit',
    refusal: lacking('update'),
    run: edit,
  },
  {
    id: 'bulk-edit',
    isOfMarks: true,
    title: 'Change a member of all marked rows, after their plan; one u takes all back',
    screens: serverLists(),
    keys: ['b'],
    refusal: lacking('update'),
    run: askChange,
  },
  {
    id: 'edit-yaml',
    title: 'Edit as YAML in $EDITOR',
    screens: SERVER_SCREENS,
    keys: ['E'],
    refusal: lacking('update'),
    run: (ui) => void editInEditor(ui),
  },
  {
    id: 'delete',
    isOfMarks: true,
    title: 'Delete after their plan; one u takes all back',
    screens: SERVER_SCREENS,
    keys: ['d'],
    footer: 'delete',
    refusal: lacking('delete'),
    run: askDeletion,
  },
  {
    id: 'note',
    isOfMarks: true,
    title: 'Add a note to the record; Ctrl-O begins a new line of it',
    screens: SERVER_SCREENS,
    keys: ['a'],
    footer: 'note',
    refusal: noteRefusal,
    run: askNote,
  },
  {
    id: 'move',
    isOfMarks: true,
    title: 'Move the deal to another stage, where the server lets deals be changed',
    screens: DEALS,
    keys: ['m'],
    footer: 'move',
    refusal: stageRefusal,
    run: (ui) => void chooseStage(ui),
  },
  {
    id: 'move-left',
    title: 'Move the deal one stage to the left, and go with it',
    screens: ['pipelines'],
    keys: ['<'],
    refusal: stageRefusal,
    run: (ui) => moveCard(ui, -1),
  },
  {
    id: 'move-right',
    title: 'Move the deal one stage to the right, and go with it',
    screens: ['pipelines'],
    keys: ['>'],
    refusal: stageRefusal,
    run: (ui) => moveCard(ui, 1),
  },
  {
    id: 'stop-sending',
    title: 'Stop sending; what is left stays in the job',
    keys: ['X'],
    footer: 'stop',
    isAlwaysFirst: true,
    refusal: ({ underWay }) =>
      underWay.some(({ progress }) => progress !== undefined) ? undefined : 'no rows are being sent',
    run: ({ background }) => void background.underWay.stop(),
  },
  {
    id: 'undo',
    title: 'Take back the last change, after its reverse plan; on Jobs, the job under the cursor',
    keys: ['u'],
    footer: 'undo',
    run: askUndo,
  },
  {
    id: 'redo',
    title: 'Do again what u took back, after its plan',
    keys: ['ctrl-r'],
    run: (ui) => void askReverse(ui, 'redo'),
  },
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
    store.update((state) => ({
      ...state,
      overlay: {
        type: 'prompt',
        label: `Note for ${recordName(row)}:`,
        hasLines: true,
        input: textInput(text),
        enter: () => 'adds it · Ctrl-O new line',
        onSubmit: (body) => void send(body),
      },
    }))
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

/** Shows what would be sent, and sends it once that is confirmed. */
async function askReverse(ui: Ui, of: Parameters<PlanReverse>[0]): Promise<void> {
  const plan = await ui.background.planReverse(of)
  if (!plan) return
  // Something else was opened while the records were read.
  if (ui.store.get().overlay) return plan.drop()
  const { send, drop, ...question } = plan
  confirmChanges(ui, { ...question, onConfirm: () => void send(), onCancel: drop })
}

/** On Jobs, the job under the cursor. */
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
