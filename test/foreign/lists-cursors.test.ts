import { holdShapes } from './hold-shapes.ts'
import { ADDRESSES } from './shapes/addresses.ts'
import { CURSORS } from './shapes/cursors.ts'
import { HOSTILE } from './shapes/hostile.ts'
import { PARTS } from './shapes/signs.ts'

/** Each file of shapes in a line; three files of tests, which workers share. */
holdShapes({
  'gives a cursor': CURSORS,
  'gives the address of the next page': ADDRESSES,
  'leaves the end open': HOSTILE,
  'calls its answer a part': PARTS,
})
