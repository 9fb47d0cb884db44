import { keyLabel, runAction } from './actions/keymap.ts'
import { leave } from './actions/leave.ts'
import type { Stroke } from './keys.ts'
import { isTooSmall } from './look/areas.ts'
import { isChanged } from './overlay.ts'
import { pasteInOverlay, pressInOverlay } from './overlay-keys.ts'
import type { Count } from './state.ts'
import type { Action, Ui } from './ui.ts'

const MOST_DIGITS = 7

/** Handles every key. */
export function press(ui: Ui, stroke: Stroke): void {
  const { store, keymap, background } = ui
  keepTime(ui)
  background.lists.giveWay()
  const { overlay, screen, pendingKeys } = store.get()
  if (pressAnywhere(ui, stroke)) return
  // Nothing of what a key would act on is shown.
  if (isTooSmall(store.get())) return
  const digit = /^alt-(\d)$/.exec(stroke.chord)?.[1]
  if (overlay && digit !== undefined) {
    // No overlay binds Alt: Esc and a digit arrived as one input.
    pressInOverlay(ui, overlay, { chord: 'esc', text: undefined })
    return void press(ui, { chord: digit, text: digit })
  }
  if (overlay) return void pressInOverlay(ui, overlay, stroke)
  if (pendingKeys === '' && pressDigit(ui, stroke)) return
  const chords = pendingKeys === '' ? stroke.chord : `${pendingKeys} ${stroke.chord}`
  const found = keymap.lookUp(screen, chords)
  if (found === 'begins') return void store.update((state) => ({ ...state, pendingKeys: chords }))
  if (pendingKeys !== '') store.update((state) => ({ ...state, pendingKeys: '' }))
  if (found) return void runCounted(ui, found)
  setCount(ui, undefined)
  // An unbound key changes nothing, and shows where the keys are listed.
  if (stroke.text !== undefined) background.notices.wait(`${stroke.text} is not bound here; ? shows the keys`)
}

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

/** Text that was pasted, which runs no key. */
export function paste(ui: Ui, text: string): void {
  const { overlay } = ui.store.get()
  if (overlay && !isTooSmall(ui.store.get())) pasteInOverlay(ui, overlay, text)
}

/** The first Ctrl-C ends a command of the user, or stops loading; the next one quits. */
function interrupt(ui: Ui): void {
  setCount(ui, undefined)
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

/**
 * Begins or continues a count, and ends one with Enter; false for any other key. What digits do depends on the next key alone,
 * and not on a pause: slow hands and slow lines would change it.
 */
function pressDigit(ui: Ui, { chord }: Stroke): boolean {
  const { count } = ui.store.get()
  const alone = count && chord === 'enter' ? boundAlone(ui, count) : undefined
  if (alone) {
    setCount(ui, undefined)
    runAction(ui, alone)
    return true
  }
  if (!/^\d$/.test(chord) || (chord === '0' && !count)) return false
  setCount(ui, { digits: `${count?.digits ?? ''}${chord}`.slice(0, MOST_DIGITS) })
  return true
}

/** Runs the action, with the count that was typed before it. */
function runCounted(ui: Ui, action: Action): void {
  const { count } = ui.store.get()
  setCount(ui, undefined)
  if (!count || action.takesCount) return void runAction(ui, action, count && Number(count.digits))
  if (action.id === 'back') return
  const [keys = ''] = ui.keymap.keysOf(action.id)
  const alone = boundAlone(ui, count)
  const instead = alone ? `; ${count.digits} and Enter: ${alone.title}` : ''
  ui.background.notices.wait(`${keyLabel(keys)} takes no count${instead}`)
}

/** The action of the digits themselves; such as the screen with this number. */
function boundAlone({ store, keymap }: Pick<Ui, 'store' | 'keymap'>, { digits }: Count): Action | undefined {
  const found = keymap.lookUp(store.get().screen, digits)
  return found === 'begins' ? undefined : found
}

function setCount({ store }: Pick<Ui, 'store'>, count: Count | undefined): void {
  store.update((state) => (state.count === count ? state : { ...state, count }))
}
