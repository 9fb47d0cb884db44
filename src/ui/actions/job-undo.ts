import type { Ui } from '../ui.ts'
import { confirmChanges } from './confirm-changes.ts'

/** Shows what the undo of a job would change, and sends it once that is confirmed. */
export async function askJobUndo(ui: Ui, id: string): Promise<void> {
  const { store, background } = ui
  const undo = await background.jobs.planUndo(id)
  if (!undo) return
  const { place, overlay } = store.get()
  // Something else was opened while the records were read.
  if (overlay) return undo.drop()
  const { rows, diff, lines } = undo
  confirmChanges(ui, {
    ...{
      title: `Undo ${id} on ${place.text}? ${rows} ${rows === 1 ? 'change' : 'changes'}`,
      lines,
      diff,
      verb: 'Undo',
      count: rows,
    },
    onConfirm: () => void undo.send(),
    onCancel: undo.drop,
  })
}
