import { holdShapes } from './hold-shapes.ts'
import { REFUSALS, WORDED } from './shapes/refusals.ts'
import { TOLD } from './shapes/settings.ts'
import { DISTRACTED, LEADING } from './shapes/signs.ts'
import { WHOLE } from './shapes/whole.ts'

/** Each file of shapes in a line; three files of tests, which workers share. */
holdShapes({
  'answers with the whole list': WHOLE,
  'the settings describe': TOLD,
  'refuses with a 200': REFUSALS,
  'adds words to a list': WORDED,
  'has distracting words beside a whole list': DISTRACTED,
  'leads on in an unusual way': LEADING,
})
