import { MOUSE } from '../mouse.ts'
import type { Action } from '../ui.ts'
import { CHANGING } from './changing.ts'
import { COMMAND_LOG, COPY_EXPORT } from './copy-export.ts'
import { EVENTS } from './events.ts'
import { JOBS } from './jobs.ts'
import { KEPT } from './kept.ts'
import { HOME_ACTIONS, MOVING } from './moving.ts'
import { REACH, SCREEN_ACTIONS } from './open-screen.ts'
import { HISTORY, LISTING, LOOKS, VIEW } from './view.ts'
import { WEBHOOK_ACTIONS } from './webhooks.ts'

/** In the order in which footer, help and palette show them. */
export const ACTIONS: readonly Action[] = [
  ...VIEW,
  ...CHANGING,
  ...LISTING,
  ...KEPT,
  ...HISTORY,
  ...REACH,
  ...JOBS,
  ...EVENTS,
  ...HOME_ACTIONS,
  ...WEBHOOK_ACTIONS,
  ...COPY_EXPORT,
  ...SCREEN_ACTIONS,
  ...COMMAND_LOG,
  ...LOOKS,
  ...MOUSE,
  ...MOVING,
]
