import type { Noun } from '../command-tree.ts'
import { addSandboxRun } from './run.ts'

export const SANDBOX: Noun = {
  summary: 'a CRM for the length of a command',
  commands: {
    run: addSandboxRun,
  },
}
