import { GRACE_MS } from '../background/deletions.ts'
import { leadOf } from '../background/notices.ts'
import { barrierText, type UndoOfChange } from '../background/under-way.ts'
import { openForm } from '../form/open-form.ts'
import { rowId } from '../list/list-state.ts'
import { listOfScreen, type ScreenName, SERVER_SCREENS } from '../screens.ts'
import { actedOn, selectedRow, serverList } from '../selected.ts'
import { formText, recordName, rowsText } from '../text/change-text.ts'
import { deletionDiff } from '../text/plan-diff.ts'
import { textInput } from '../text/text-input.ts'
import type { Action, Ui } from '../ui.ts'
import { chooseStage } from './choose-stage.ts'
import { confirmChanges } from './confirm-changes.ts'
import { editInEditor } from './edit-yaml.ts'
import { askChangeUndo, askEditsUndo, askJobUndo } from './job-undo.ts'
import { lacking } from './lacking.ts'
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
    id: 'kept-form',
    title: 'Open the form that was kept at the last exit',
    keys: ['i'],
    refusal: ({ keptForms }) => (keptForms.length === 0 ? 'no form was kept' : undefined),
    run: (ui) => void openKeptForm(ui),
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
    title: 'Delete: asks, waits a moment, and cannot be undone after that',
    screens: SERVER_SCREENS,
    keys: ['d'],
    footer: 'delete',
    refusal: lacking('delete'),
    run: askDeletion,
  },
  {
    id: 'note',
    isOfMarks: true,
    title: 'Add a note to the deal',
    screens: DEALS,
    keys: ['a'],
    footer: 'note',
    refusal: ({ offered }) => offered.lacks['create notes'],
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
    keys: ['H'],
    refusal: stageRefusal,
    run: (ui) => moveCard(ui, -1),
  },
  {
    id: 'move-right',
    title: 'Move the deal one stage to the right, and go with it',
    screens: ['pipelines'],
    keys: ['L'],
    refusal: stageRefusal,
    run: (ui) => moveCard(ui, 1),
  },
  {
    id: 'stop-sending',
    // It stops whatever was typed before.
    takesCount: true,
    title: 'Stop sending; what is left stays in the job, or edited',
    keys: ['X'],
    footer: 'stop',
    isAlwaysFirst: true,
    refusal: ({ underWay }) =>
      underWay.some(({ progress }) => progress !== undefined) ? undefined : 'no rows are being sent',
    run: ({ background }) => void background.underWay.stop(),
  },
  {
    id: 'undo',
    title: 'Undo the last change, or all of the last send; on Jobs, the job under the cursor',
    keys: ['u'],
    footer: 'undo',
    run: (ui) => void undo(ui),
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
  const deal = actedOn(store.get(), boards)[0]
  if (!deal || rowId(deal) === undefined) return void background.notices.wait('There is no deal to add a note to')
  const ask = (text: string) =>
    store.update((state) => ({
      ...state,
      overlay: {
        type: 'prompt',
        label: `Note for ${recordName(deal)}:`,
        input: textInput(text),
        enter: () => 'adds it',
        onSubmit: (body) => void send(body),
      },
    }))
  const send = async (body: string) => {
    if (body.trim() === '') return
    try {
      await background.writes.addNote(deal, body)
    } catch (error) {
      background.notices.problem(error, leadOf(error, { failed: 'Note not added: ', open: 'The note: ' }))
      // Shows the typed text again.
      if (!store.get().overlay) ask(body)
    }
  }
  ask('')
}

async function undo(ui: Ui): Promise<void> {
  const { background } = ui
  const { deletions, history, notices } = background
  if (deletions.takeBack()) return
  if (ui.store.get().screen === 'jobs') return undoJob(ui)
  // Else it would take back the change before the one that is being sent.
  if (ui.store.get().underWay.length > 0) return notices.wait('A change is being sent; press u after that')
  const last = history.last()
  if (!last) return notices.wait('There is no change of this session to undo')
  const putBack = () => history.add(last)
  if (last.type === 'barrier') {
    putBack()
    return notices.wait(barrierText(last.what))
  }
  if (last.type === 'job') return askJobUndo(ui, last.id, putBack)
  if (last.type === 'edits') return askEditsUndo(ui, last, putBack)
  const { screen } = ui.store.get()
  if (listOfScreen(screen) !== last.name) return askChangeUndo(ui, last, { undo: () => undoChange(ui, last), putBack })
  await undoChange(ui, last)
}

async function undoChange({ background: { history, notices } }: Ui, change: UndoOfChange): Promise<void> {
  try {
    await change.undo()
    notices.done(`Undone: ${change.what}`)
  } catch (error) {
    history.add(change)
    notices.problem(error, leadOf(error, { failed: 'Not undone: ', open: 'Undo: ' }))
  }
}

async function undoJob(ui: Ui): Promise<void> {
  const id = rowId(selectedRow(ui.store.get(), ui.boards))
  if (id === undefined) return ui.background.notices.wait('There is no job to undo')
  await askJobUndo(ui, id, () => {})
}

/** Opens the first kept form, for the current record. */
async function openKeptForm(ui: Ui): Promise<void> {
  const { store, background } = ui
  const [form] = store.get().keptForms
  if (!form) return
  const take = () => store.update((state) => ({ ...state, keptForms: state.keptForms.filter((each) => each !== form) }))
  try {
    const record = form.before === null ? undefined : await background.kept.recordOf(form)
    if (form.before !== null && !record) {
      take()
      return background.notices.wait(`Not restored, because the record was deleted: ${formText(form)}`)
    }
    // Something else was opened during the request.
    if (store.get().overlay) return
    take()
    openForm(ui, form.list, record, form)
  } catch (error) {
    background.notices.problem(error, 'The form cannot be opened, and stays kept: ')
  }
}

function askDeletion(ui: Ui): void {
  const { store, background, boards } = ui
  const { place } = store.get()
  const rows = actedOn(store.get(), boards)
  if (rows.length === 0) return void background.notices.wait('There is no row to delete')
  const list = serverList(store.get())
  const what = rowsText(rows, list)
  confirmChanges(ui, {
    title: `Delete ${what} from ${place.isProtected ? 'the protected ' : ''}${place.text}?`,
    diff: deletionDiff(rows),
    lines: [`Sent after ${GRACE_MS / 1000} s; until then u cancels it, after that it is for good.`],
    verb: 'Delete',
    count: rows.length,
    onConfirm: () => background.deletions.add(list, rows),
  })
}
