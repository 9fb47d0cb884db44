import { ID, KEPT_BY_SERVER, type ResourceDefinition } from './field.ts'

export const NOTE = {
  singular: 'note',
  plural: 'notes',
  idPrefix: 'note_',
  path: '/v1/deals/{id}/notes',
  parent: 'deal',
  operations: ['create'],
  serviceOperations: ['list', 'delete'],
  recordPath: '/v1/notes/{id}',
  isImportable: true,
  commands: { create: 'crm notes add' },
  example: { body: 'Call back on Friday', author_id: 'u_ines' },
  fields: {
    ...ID,
    deal_id: { type: 'reference', about: 'Id of its deal', isRequired: true, aliases: ['deal'] },
    body: { type: 'text', about: 'Text of the note', isRequired: true, aliases: ['text', 'note', 'content'] },
    author_id: { type: 'reference', about: 'Id of the user who wrote it', aliases: ['author'] },
    ...KEPT_BY_SERVER,
  },
} as const satisfies ResourceDefinition
