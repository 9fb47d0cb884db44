import { runAction } from './actions/keymap.ts'
import { leave } from './actions/leave.ts'
import type { Stroke } from './keys.ts'
import { isTooSmall } from './look/areas.ts'
import { isChanged } from './overlay.ts'
import { pasteInOverlay, pressInOverlay } from './overlay-keys.ts'
import { editText, textInput } from './text/text-input.ts'
import type { Ui } from './ui.ts'

export function press(ui: Ui, stroke: Stroke): void {
  const { store, keymap, background } = ui
  keepTime(ui)
  background.lists.giveWay()
  const { overlay, screen, pendingKeys } = store.get()
  if (pressAnywhere(ui, stroke)) return
  // Nothing of what a key would act on is shown.
  if (isTooSmall(store.get())) return
  const afterEsc = /^alt-(.)$/.exec(stroke.chord)?.[1]
  if (afterEsc !== undefined && !isAltBound(ui, stroke.chord)) {
    // Esc and a key arrived as one input.
    press(ui, { chord: 'esc', text: undefined })
    return void press(ui, { chord: afterEsc, text: afterEsc })
  }
  if (overlay) return void pressInOverlay(ui, overlay, stroke)
  const chords = pendingKeys === '' ? stroke.chord : `${pendingKeys} ${stroke.chord}`
  const found = keymap.lookUp(screen, chords)
  if (found === 'begins') return void store.update((state) => ({ ...state, pendingKeys: chords }))
  if (pendingKeys !== '') store.update((state) => ({ ...state, pendingKeys: '' }))
  if (found) return void runAction(ui, found)
  // An unbound key changes nothing, and shows where the keys are listed.
  if (stroke.text !== undefined) background.notices.wait(`${stroke.text} is not bound here; ? shows the keys`)
}

/** In a text Alt moves by words; elsewhere it is of the keys of the screen. */
function isAltBound({ store, keymap }: Pick<Ui, 'store' | 'keymap'>, chord: string): boolean {
  const { overlay, screen } = store.get()
  if (!overlay) return keymap.lookUp(screen, chord) !== undefined
  const hasText = overlay.type === 'confirm' ? overlay.expected !== undefined : TEXTS.includes(overlay.type)
  return hasText && editText(textInput(), chord) !== undefined
}

const TEXTS: readonly string[] = ['prompt', 'form', 'palette']

/** Keys that are the same where text is typed. */
function pressAnywhere(ui: Ui, { chord }: Stroke): boolean {
  if (chord === 'ctrl-c') interrupt(ui)
  else if (chord === 'ctrl-z') pause(ui)
  else if (ui.keymap.keysOf('redraw').includes(chord)) ui.redraw()
  else return false
  return true
}

const MINUTE_MS = 60_000

/** Times are shown relative to the day of the last key: a clock of its own would draw at idle. */
function keepTime({ store, world }: Ui): void {
  const nowMs = world.now()
  store.update((state) =>
    nowMs - state.times.nowMs < MINUTE_MS ? state : { ...state, times: { ...state.times, nowMs } },
  )
}

export function paste(ui: Ui, text: string): void {
  const { overlay } = ui.store.get()
  if (overlay && !isTooSmall(ui.store.get())) pasteInOverlay(ui, overlay, text)
}

/** The first Ctrl-C ends a command of the user, or stops loading; the next one quits. */
function interrupt(ui: Ui): void {
  if (ui.background.shell.stop()) return
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
