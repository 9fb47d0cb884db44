import { leave } from './actions/leave.ts'
import { runAction } from './actions/run-action.ts'
import type { Stroke } from './keys.ts'
import { isChanged } from './overlay.ts'
import { pasteInOverlay, pressInOverlay } from './overlay-keys.ts'
import type { Ui } from './ui.ts'

/** The one place that keys come to. */
export function press(ui: Ui, stroke: Stroke): void {
  const { store, keymap, background } = ui
  const { overlay, screen, pendingKeys } = store.get()
  if (stroke.chord === 'ctrl-c') return void interrupt(ui)
  if (stroke.chord === 'ctrl-z') return void pause(ui)
  if (overlay) return void pressInOverlay(ui, overlay, stroke)
  const chords = pendingKeys === '' ? stroke.chord : `${pendingKeys} ${stroke.chord}`
  const found = keymap.lookUp(screen, chords)
  if (found === 'begins') return void store.update((state) => ({ ...state, pendingKeys: chords }))
  if (pendingKeys !== '') store.update((state) => ({ ...state, pendingKeys: '' }))
  if (found) return void runAction(ui, found)
  // An unknown key changes nothing, and says where the known ones are.
  if (stroke.text !== undefined) background.notices.wait(`${stroke.text} does nothing here; ? shows the keys`)
}

export function paste(ui: Ui, text: string): void {
  const { overlay } = ui.store.get()
  if (overlay) pasteInOverlay(ui, overlay, text)
}

/** The first stops loading, the second quits. */
function interrupt(ui: Ui): void {
  const { overlay } = ui.store.get()
  if (overlay?.type === 'choice' && overlay.onInterrupt) return void overlay.onInterrupt()
  if (overlay?.type === 'form' && (overlay.isSending || overlay.fields.some(isChanged))) return void leave(ui)
  if (overlay) return void pressInOverlay(ui, overlay, { chord: 'esc', text: undefined })
  if (!ui.background.lists.cancel()) leave(ui)
}

function pause(ui: Ui): void {
  const { pauseProcess } = ui.world
  if (pauseProcess) void ui.suspend(pauseProcess)
}
