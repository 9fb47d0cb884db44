import type { Action } from '../ui.ts'
import { CHANGING } from './changing.ts'
import { TAKING } from './copy-export.ts'
import { EVENTS } from './events.ts'
import { JOBS } from './jobs.ts'
import { MOVING } from './moving.ts'
import { STAGING } from './staging.ts'
import { LISTING, LOOKING, SCREEN_ACTIONS } from './view.ts'

/** In the order in which footer, help and palette show them. */
export const ACTIONS: readonly Action[] = [
  ...LOOKING,
  ...CHANGING,
  ...LISTING,
  ...STAGING,
  ...JOBS,
  ...EVENTS,
  ...TAKING,
  ...SCREEN_ACTIONS,
  ...MOVING,
]
