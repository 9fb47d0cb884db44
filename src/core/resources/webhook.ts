import { ID, KEPT_BY_SERVER, type ResourceDefinition } from './field.ts'

export const WEBHOOK = {
  singular: 'webhook',
  plural: 'webhooks',
  idPrefix: 'wh_',
  path: '/v1/webhooks',
  operations: ['create'],
  serviceOperations: ['list', 'get', 'update', 'delete', 'test'],
  fields: {
    ...ID,
    url: { type: 'text', about: 'Address that events are sent to', isRequired: true },
    events: { type: 'texts', about: 'Kinds of events, or patterns such as contact.* and *', isRequired: true },
    description: { type: 'text', about: 'What it is for' },
    status: { type: 'text', about: 'enabled or disabled', isReadOnly: true },
    secret: { type: 'text', about: 'Secret that signs its events; shown only when it is created', isReadOnly: true },
    ...KEPT_BY_SERVER,
  },
} as const satisfies ResourceDefinition
