import { Buffer } from 'node:buffer'
import { type Failure, isFailure } from '../../api/errors/failure.ts'
import { dealInput } from '../../api/graphql/deal-input.ts'
import type { DealUpdates } from '../../api/graphql/graphql-api.ts'
import { errorsIn } from '../../api/graphql/graphql-error.ts'
import { changedRecord } from '../../api/graphql/records.ts'
import type { Answer } from '../../api/transport/answer.ts'
import type { Sender, Write } from '../../api/writes/sender.ts'
import { parseExactJson } from '../../core/exact-json.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import { canonicalJson } from '../plan/canonical-json.ts'
import { refusalOf } from './graphql-refusal.ts'

const DEALS = '/v1/deals/'

/**
 * Sends changes of deals, which no endpoint takes, over GraphQL: what goes out follows from the plan alone, as it does
 * elsewhere. An answer comes back as if an endpoint had given it.
 */
export function createDealSender(sender: Sender, updates: DealUpdates): Sender {
  return {
    ask: sender.ask,
    close: sender.close,
    send: async (write) => {
      if (write.method !== 'PATCH' || !write.path.startsWith(DEALS)) return sender.send(write)
      const outcome = await sender.send({ ...write, method: 'POST', path: updates.path, body: bodyOf(write, updates) })
      return asAnswer(outcome, updates, idOf(write))
    },
  }
}

function idOf({ path }: Write): string {
  return decodeURIComponent(path.slice(DEALS.length))
}

function bodyOf(write: Write, { query, members }: DealUpdates): Buffer {
  const patch = parseExactJson(write.body?.toString('utf8') ?? '{}') as JsonObject
  return Buffer.from(canonicalJson({ query, variables: { input: dealInput(members, idOf(write), patch) } }))
}

/** Of error statuses those that may come with errors of GraphQL; the others say more than these. */
const OWN_STATUSES = [400, 409, 412, 422]

function asAnswer(outcome: Answer | Failure, { place }: DealUpdates, id: string): Answer | Failure {
  const json = jsonOf(outcome)
  const record = changedRecord(json, place, id)
  if (record && !isFailure(outcome)) return { ...outcome, json: record }
  const errors = errorsIn(json)
  if (errors) return refusalOf(errors, outcome)
  return isFailure(outcome) ? outcome : noGraphql(outcome)
}

function jsonOf(outcome: Answer | Failure): JsonValue | undefined {
  if (!isFailure(outcome)) return outcome.json
  const { status = 0, body } = outcome
  if (!OWN_STATUSES.includes(status) || !body) return undefined
  try {
    return parseExactJson(body.toString('utf8'))
  } catch (error) {
    // An answer of something that stands before the server: its status says what it says.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** It may have happened all the same. */
function noGraphql({ headers, status }: Answer): Failure {
  return {
    code: 'in_doubt',
    reason: 'the answer shows neither the deal nor a refusal',
    hint: 'crm graphql --help',
    rule: 'never',
    isInDoubt: true,
    ...{ status, headers },
  }
}
