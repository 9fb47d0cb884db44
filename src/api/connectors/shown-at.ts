import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { Answer } from '../transport/answer.ts'
import { type Call, cannot } from '../transport/call.ts'
import type { ResourceRules } from './resource-rules.ts'

/** The server's own record, or the id of another one; undefined for one that is deleted. */
export type ShownAt = { readonly server: JsonObject } | { readonly otherId: string | undefined } | undefined

/** What an answer to `get` shows at an id. */
export function shownAt(rules: ResourceRules, id: string, { json, status }: Answer): ShownAt {
  // Some servers answer so for a record that they do not have.
  if (status === 204) return undefined
  const server = rules.serverRecord(json)
  if (server && rules.isDeleted(server)) return undefined
  const shown = server && rules.map.idOf(server)
  if (server && shown?.toLowerCase() === id.toLowerCase()) return { server }
  return { otherId: shown }
}

/** For an answer that shows another record, or none. */
export function otherShown(call: Pick<Call, 'action'>, otherId: string | undefined): CrmError {
  return new CrmError('bad_answer', `${cannot(call)}: ${otherReason(otherId)}`, {
    hint: 'crm connectors check compares the connector with the server',
  })
}

export function otherReason(otherId: string | undefined): string {
  return otherId === undefined ? 'the answer shows no record' : `the answer shows ${otherId}`
}

export function noRecord(resource: Resource, id: string): CrmError {
  return new CrmError('not_found', `there is no ${resource} ${JSON.stringify(id)}`, {
    hint: `crm ${RESOURCES[resource].plural} list`,
  })
}
