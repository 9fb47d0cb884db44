import type { Ui } from '../ui.ts'
import type { Command } from './command.ts'

/** What cannot run says why. */
export function runCommand(ui: Ui, command: Command): void {
  const refusal = command.refusal?.(ui.store.get())
  if (refusal === undefined) command.run(ui)
  else ui.work.notices.wait(`${command.title}: ${refusal}`)
}
