import { COMMANDS, COUNTS, firstOf, LINKS, WHOLE_LISTS } from './groups.ts'
import { holdCommands, holdShapes } from './hold-shapes.ts'

/** The gross damage that `npm test` notices; `npm run test:conformance` holds all shapes. */
holdShapes(firstOf({ ...COUNTS, ...LINKS, ...WHOLE_LISTS }, 1))
holdCommands(firstOf(COMMANDS, 1))
