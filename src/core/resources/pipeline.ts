import { ID, type ResourceDefinition } from './field.ts'

export const PIPELINE = {
  singular: 'pipeline',
  plural: 'pipelines',
  path: '/v1/pipelines',
  operations: [],
  serviceOperations: ['list'],
  fields: { ...ID, name: { type: 'text', about: 'Name of the pipeline', isRequired: true } },
} as const satisfies ResourceDefinition

export const STAGE = {
  singular: 'stage',
  plural: 'stages',
  path: '/v1/pipelines/{id}/stages',
  parent: 'pipeline',
  operations: ['list'],
  commands: { list: 'crm pipelines stages' },
  fields: {
    ...ID,
    name: { type: 'text', about: 'Name of the stage', isRequired: true },
    position: { type: 'integer', about: 'Place among the stages of its pipeline, from 1', isRequired: true },
    probability: { type: 'number', about: 'Probability that a deal in it is won, 0 to 1' },
  },
} as const satisfies ResourceDefinition
