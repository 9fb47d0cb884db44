import { keyLabel, runAction } from './actions/keymap.ts'
import type { Stroke } from './keys.ts'
import type { Count } from './state.ts'
import type { Action, Ui } from './ui.ts'

/** How long a digit that is also a key of its own waits for the key it may count. */
const ALONE_MS = 400

const MOST_DIGITS = 7

/** Begins or continues a count; false for a key that does neither. */
export function pressDigit(ui: Ui, { chord }: Stroke): boolean {
  const { count } = ui.store.get()
  if (!/^\d$/.test(chord) || (chord === '0' && !count)) return false
  const next: Count = { digits: `${count?.digits ?? ''}${chord}`.slice(0, MOST_DIGITS) }
  setCount(ui, next)
  if (boundAlone(ui, next)) {
    setTimeout(() => {
      const { count, overlay } = ui.store.get()
      if (count === next && !overlay) runAlone(ui, next)
    }, ALONE_MS).unref()
  }
  return true
}

/** Runs the action, with the count that was typed before it. */
export function runCounted(ui: Ui, action: Action): void {
  const { count } = ui.store.get()
  setCount(ui, undefined)
  if (!count || action.takesCount) return void runAction(ui, action, count && Number(count.digits))
  if (action.id === 'back') return
  if (action.id === 'detail' && boundAlone(ui, count)) return void runAlone(ui, count)
  const [keys = ''] = ui.keymap.keysOf(action.id)
  const alone = boundAlone(ui, count)
  const instead = alone ? `; ${count.digits} alone: ${alone.title}` : ''
  ui.background.notices.wait(`${keyLabel(keys)} takes no count${instead}`)
}

function runAlone(ui: Ui, count: Count): void {
  const action = boundAlone(ui, count)
  setCount(ui, undefined)
  if (action) runAction(ui, action)
}

/** The action of the digits themselves; such as the screen with this number. */
function boundAlone({ store, keymap }: Pick<Ui, 'store' | 'keymap'>, { digits }: Count): Action | undefined {
  const found = keymap.lookUp(store.get().screen, digits)
  return found === 'begins' ? undefined : found
}

export function setCount({ store }: Pick<Ui, 'store'>, count: Count | undefined): void {
  store.update((state) => (state.count === count ? state : { ...state, count }))
}
