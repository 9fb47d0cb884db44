import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addPipelinesList } from './list.ts'
import { addPipelinesStages } from './stages.ts'

export function addPipelines(program: CommandUnknownOpts, act: Act): void {
  const pipelines = program.command('pipelines').description('pipelines and their stages')
  addPipelinesList(pipelines, act)
  addPipelinesStages(pipelines, act)
}
