import type { Noun } from '../command-tree.ts'
import { addPipelinesList } from './list.ts'
import { addPipelinesStages } from './stages.ts'

export const PIPELINES: Noun = {
  description: 'pipelines and their stages',
  commands: {
    list: addPipelinesList,
    stages: addPipelinesStages,
  },
}
