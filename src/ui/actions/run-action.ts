import type { Action, Ui } from '../ui.ts'

/** Runs the action, or shows why it cannot run. */
export function runAction(ui: Ui, action: Action): void {
  const refusal = action.refusal?.(ui.store.get())
  if (refusal === undefined) action.run(ui)
  else ui.background.notices.wait(`${action.title}: ${refusal}`)
}
