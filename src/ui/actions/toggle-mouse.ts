import { MOUSE_OFF, MOUSE_ON } from '../mouse-input.ts'
import type { Action, Ui } from '../ui.ts'

export const MOUSE: readonly Action[] = [
  {
    id: 'mouse',
    title: 'Mouse on or off: a click selects, a double click opens, the wheel scrolls',
    keys: ['M'],
    run: toggleMouse,
  },
]

function toggleMouse({ store, world, background }: Ui): void {
  const isMouseOn = !store.get().isMouseOn
  store.update((state) => ({ ...state, isMouseOn }))
  world.writeRaw(isMouseOn ? MOUSE_ON : MOUSE_OFF)
  const text = isMouseOn ? 'Mouse on; hold Shift to select text of the terminal' : 'Mouse off'
  background.notices.done(text)
}
