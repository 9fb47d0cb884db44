import { ID, KEPT_BY_SERVER, type ResourceDefinition } from './field.ts'

/** The filters of `GET /v1/deals` in the contract; a server may have others. */
export const DEAL_FILTER_PARAMETERS = [
  'stage',
  'owner_id',
  'pipeline_id',
  'name',
  'amount[gte]',
  'amount[lte]',
  'created_since',
  'created_until',
] as const

export const DEAL = {
  singular: 'deal',
  plural: 'deals',
  idPrefix: 'deal_',
  path: '/v1/deals',
  operations: ['list', 'create'],
  serviceOperations: ['get', 'update', 'delete'],
  filters: DEAL_FILTER_PARAMETERS,
  isImportable: true,
  hints: { match: 'name', where: '.stage == "Lead"' },
  example: { name: 'Fleet renewal', stage: 'Lead', amount: 12500.5, owner_id: 'u_ines' },
  fields: {
    ...ID,
    name: {
      type: 'text',
      about: 'Name of the deal',
      isRequired: true,
      width: [26, 40],
      aliases: ['fullname', 'contactname', 'displayname', 'dealname', 'title'],
    },
    amount: {
      type: 'number',
      about: 'Value of the deal',
      width: [10, 14],
      aliases: ['value', 'price', 'sum', 'dealvalue'],
    },
    stage: {
      type: 'text',
      about: "Name of a stage of the deal's pipeline",
      isRequired: true,
      width: [12, 18],
      aliases: ['status', 'dealstage'],
    },
    owner_id: { type: 'reference', about: 'Id of the user who owns it', width: [8, 14], aliases: ['owner'] },
    pipeline_id: {
      type: 'reference',
      about: 'Id of its pipeline; the default pipeline unless given',
      width: [10, 16],
      aliases: ['pipeline'],
    },
    ...KEPT_BY_SERVER,
  },
} as const satisfies ResourceDefinition
