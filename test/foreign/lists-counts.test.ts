import { holdShapes } from './hold-shapes.ts'
import { LACKING } from './shapes/lacking.ts'
import { NUMBERED } from './shapes/numbered.ts'
import { FULL, PAGE_TOTALS } from './shapes/page-totals.ts'
import { REFUSING } from './shapes/refusing.ts'
import { REPEATING } from './shapes/repeating.ts'

/** Each file of shapes in a line; three files of tests, which workers share. */
holdShapes({
  'counts its pages or records': NUMBERED,
  'counts more records than come': LACKING,
  'counts as many records as a page holds': PAGE_TOTALS,
  'gives as many records as were asked for': FULL,
  'refuses a page': REFUSING,
  'shows records again': REPEATING,
})
