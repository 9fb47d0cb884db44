import type { Command } from './command.ts'
import { LOOKING } from './looking.ts'
import { MOVING } from './moving.ts'

/** In the order in which help and palette show them. */
export const COMMANDS: readonly Command[] = [...LOOKING, ...MOVING]
