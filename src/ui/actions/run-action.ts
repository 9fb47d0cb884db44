import type { Action, Ui } from '../ui.ts'

/** What cannot run says why. */
export function runAction(ui: Ui, action: Action): void {
  const refusal = action.refusal?.(ui.store.get())
  if (refusal === undefined) action.run(ui)
  else ui.background.notices.wait(`${action.title}: ${refusal}`)
}
