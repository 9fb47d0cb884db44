import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { callError, NO_KEYS } from '../errors/failure.ts'
import type { Answer } from '../transport/answer.ts'
import { type Call, cannot } from '../transport/call.ts'
import { signsOf } from '../writes/answer-signs.ts'
import { outcomeFailure } from '../writes/outcome-failure.ts'
import { ownId, readShown } from '../writes/shown-record.ts'
import type { ResourceRules } from './resource-rules.ts'

/** The server's own record, or the id of another one; undefined for one that is deleted. */
export type ShownAt = { readonly server: JsonObject } | { readonly otherId: string | undefined } | undefined

/** What an answer to `get` shows at an id. CrmError `rejected` for a refusal in a 2xx. */
export function shownAt(rules: ResourceRules, id: string, { call, answer }: { call: Call; answer: Answer }): ShownAt {
  const { json, status } = answer
  // Some servers answer so for a record that they do not have.
  if (status === 204) return undefined
  const isRecognised = rules.operation('get').record === undefined
  const server = isRecognised
    ? readShown(json, { sent: () => undefined, path: call.path })?.at(-1)
    : rules.serverRecord('get', json)
  if (server && rules.isDeleted(server)) return undefined
  const shown = server && (isRecognised ? ownId(server) : rules.map.idOf(server))
  if (server && shown?.toLowerCase() === id.toLowerCase()) return { server }
  if (shown === undefined && isRefusal(answer)) throw refusal(call, answer)
  return { otherId: shown }
}

function isRefusal({ json }: Answer): boolean {
  if (!isJsonObject(json)) return false
  const { isRefusing, isTroubled } = signsOf(json)
  return isRefusing || isTroubled
}

function refusal(call: Call, answer: Answer): CrmError {
  const failure = outcomeFailure(answer, { type: 'refused' }, `${call.command} --help`)
  return callError(call, failure, { tries: 1, isInDoubt: false, idempotencyKey: undefined, keys: NO_KEYS })
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
