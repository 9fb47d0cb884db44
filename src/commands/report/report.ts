import type { CommandGroup } from '../command-tree.ts'
import { addActivityReport } from './activity.ts'
import { addOwnersReport } from './owners.ts'
import { addPipelineReport } from './pipeline.ts'

export const REPORT_COMMANDS: CommandGroup = {
  description: 'reports on deals, their owners, and what was created and changed',
  commands: { pipeline: addPipelineReport, owners: addOwnersReport, activity: addActivityReport },
}
