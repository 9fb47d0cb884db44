import { WHOLE_LISTS } from './groups.ts'
import { holdShapes } from './hold-shapes.ts'

holdShapes(WHOLE_LISTS)
