import { keyLabel, runAction } from './actions/keymap.ts'
import type { Stroke } from './keys.ts'
import type { Count } from './state.ts'
import type { Action, Ui } from './ui.ts'

const MOST_DIGITS = 7

/**
 * Begins or continues a count, and ends one with Enter; false for any other key. What digits do depends on the next key alone,
 * and not on a pause: slow hands and slow lines would change it.
 */
export function pressDigit(ui: Ui, { chord }: Stroke): boolean {
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
export function runCounted(ui: Ui, action: Action): void {
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

export function setCount({ store }: Pick<Ui, 'store'>, count: Count | undefined): void {
  store.update((state) => (state.count === count ? state : { ...state, count }))
}
