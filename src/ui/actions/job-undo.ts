import type { UndoOfChange, UndoOfEdits } from '../background/under-way.ts'
import { editDiff } from '../text/plan-diff.ts'
import type { Ui } from '../ui.ts'
import { confirmChanges } from './confirm-changes.ts'

/** Shows what the undo of a job would change, and sends it once that is confirmed; otherwise calls `onCancel`. */
export async function askJobUndo(ui: Ui, id: string, onCancel: () => void): Promise<void> {
  const { store, background } = ui
  const undo = await background.jobs.planUndo(id)
  if (!undo) return onCancel()
  const { place, overlay } = store.get()
  const cancel = () => {
    undo.drop()
    onCancel()
  }
  // Something else was opened while the records were read.
  if (overlay) return cancel()
  const { rows, diff, lines } = undo
  confirmChanges(ui, {
    title: `Undo ${id} on ${place.text}? ${rows} ${rows === 1 ? 'change' : 'changes'}`,
    lines,
    diff,
    verb: 'Undo',
    count: rows,
    onConfirm: () => void undo.send(),
    onCancel: cancel,
  })
}

/** The same for edits that were sent one by one. */
export function askEditsUndo(ui: Ui, { name, edits }: UndoOfEdits, onCancel: () => void): void {
  const { place } = ui.store.get()
  const count = edits.length
  confirmChanges(ui, {
    title: `Undo ${count} ${count === 1 ? 'update' : 'updates'} of ${name} on ${place.text}?`,
    diff: editDiff(edits),
    verb: 'Undo',
    count,
    onConfirm: () => void ui.background.revert(name, edits),
    onCancel,
  })
}

/** The same for a change of another screen than the one that is shown. */
export function askChangeUndo(
  ui: Ui,
  { what, name, diff }: UndoOfChange,
  { undo, putBack }: { undo(): Promise<void>; putBack(): void },
): void {
  const { place } = ui.store.get()
  confirmChanges(ui, {
    title: `Undo ${what} (${name}) on ${place.text}?`,
    diff,
    verb: 'Undo',
    count: 1,
    onConfirm: () => void undo(),
    onCancel: putBack,
  })
}
