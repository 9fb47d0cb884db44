import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addPipelinesStages } from './stages.ts'

export function addPipelines(program: CommandUnknownOpts, act: Act): void {
  const pipelines = program.command('pipelines').description('pipelines and their stages')
  addPipelinesStages(pipelines, act)
}
