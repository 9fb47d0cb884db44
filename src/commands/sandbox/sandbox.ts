import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addSandboxRun } from './run.ts'

export function addSandbox(program: CommandUnknownOpts, act: Act): void {
  const sandbox = program.command('sandbox').summary('a CRM for the length of a command').enablePositionalOptions()
  addSandboxRun(sandbox, act)
}
