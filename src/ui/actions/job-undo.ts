import { showOverlay } from '../show-overlay.ts'
import { textInput } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'
import { MOST_BY_KEY } from './limits.ts'

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
  showOverlay(ui, {
    type: 'confirm',
    title: `Undo ${id} on ${place.text}? ${rows} ${rows === 1 ? 'change' : 'changes'}`,
    lines,
    diff,
    verb: 'Undo',
    isOnCancel: true,
    expected: place.isProtected || rows > MOST_BY_KEY ? String(rows) : undefined,
    input: textInput(),
    onConfirm: () => void undo.send(),
    onCancel: cancel,
  })
}
