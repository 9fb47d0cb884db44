import type { CommandGroup } from '../command-tree.ts'
import { addSandboxEnv } from './env.ts'
import { addSandboxList } from './list.ts'
import { addSandboxRun } from './run.ts'
import { addSandboxStart } from './start.ts'
import { addSandboxStop } from './stop.ts'

export const SANDBOX_COMMANDS: CommandGroup = {
  summary: 'a CRM for the length of a command, or until it is stopped',
  commands: {
    run: addSandboxRun,
    start: addSandboxStart,
    stop: addSandboxStop,
    env: addSandboxEnv,
    list: addSandboxList,
  },
}
