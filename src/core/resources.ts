import type { JsonObject } from './json.ts'

/** A record as a server sent it. Only the service knows what its own records hold; the client reads any. */
export type CrmRecord = JsonObject

/** The members of each resource that conventions name, in the order in which tables show them. */
export const FIELDS = {
  contact: ['id', 'name', 'email', 'phone', 'company', 'owner_id', 'created_at', 'updated_at', 'version'],
  deal: ['id', 'name', 'amount', 'stage', 'owner_id', 'pipeline_id', 'created_at', 'updated_at', 'version'],
  note: ['id', 'deal_id', 'body', 'author_id', 'created_at', 'updated_at', 'version'],
  pipeline: ['id', 'name'],
  stage: ['id', 'name', 'position', 'probability'],
  webhook: ['id', 'url', 'events', 'description', 'status', 'secret', 'created_at', 'updated_at', 'version'],
} as const

export type Resource = keyof typeof FIELDS

/** Numbers on the wire; every other known field is a text. */
export function isNumeric(resource: Resource, field: string): boolean {
  return resource === 'deal' && field === 'amount'
}

/** Set by the server; a client that sends them changes nothing. */
export const READ_ONLY_FIELDS = ['id', 'created_at', 'updated_at', 'version'] as const
