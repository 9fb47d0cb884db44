import { COMMANDS } from './groups.ts'
import { holdCommands } from './hold-shapes.ts'

holdCommands(COMMANDS)
