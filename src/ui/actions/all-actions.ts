import type { Action } from '../ui.ts'
import { CHANGING } from './changing.ts'
import { LOOKS } from './choose-theme.ts'
import { COMMAND_LOG } from './command-log.ts'
import { COPY_EXPORT } from './copy-export.ts'
import { EVENTS } from './events.ts'
import { HISTORY } from './history.ts'
import { HOME_ACTIONS } from './home.ts'
import { JOBS } from './jobs.ts'
import { KEPT } from './kept.ts'
import { MOVING } from './moving.ts'
import { SCREEN_ACTIONS } from './open-screen.ts'
import { REACH } from './reach.ts'
import { MOUSE } from './toggle-mouse.ts'
import { LISTING, VIEW } from './view.ts'
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
