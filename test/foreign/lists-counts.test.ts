import { COUNTS } from './groups.ts'
import { holdShapes } from './hold-shapes.ts'

holdShapes(COUNTS)
