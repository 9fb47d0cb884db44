import { LINKS } from './groups.ts'
import { holdShapes } from './hold-shapes.ts'

holdShapes(LINKS)
