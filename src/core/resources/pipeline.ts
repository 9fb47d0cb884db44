import { ID, type ResourceDefinition } from './field.ts'

export const PIPELINE = {
  singular: 'pipeline',
  plural: 'pipelines',
  path: '/v1/pipelines',
  operations: [],
  serviceOperations: ['list'],
  fields: { ...ID, name: { type: 'text', about: 'Name of the pipeline', isRequired: true } },
} as const satisfies ResourceDefinition
