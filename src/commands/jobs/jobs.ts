import type { CommandGroup } from '../command-tree.ts'
import { addJobsCancel } from './cancel.ts'
import { addJobsFailed } from './failed.ts'
import { addJobsList } from './list.ts'
import { addJobsPrune } from './prune.ts'
import { addJobsResume } from './resume.ts'
import { addJobsRetry } from './retry.ts'
import { addJobsShow } from './show.ts'
import { addJobsUndo } from './undo.ts'

export const JOBS_COMMANDS: CommandGroup = {
  description: 'bulk work: what was sent, what is left, what failed',
  commands: {
    list: addJobsList,
    show: addJobsShow,
    resume: addJobsResume,
    failed: addJobsFailed,
    retry: addJobsRetry,
    undo: addJobsUndo,
    cancel: addJobsCancel,
    prune: addJobsPrune,
  },
}
