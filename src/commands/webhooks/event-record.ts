import { type JsonObject, parseExactJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { EventBody, LoggedEvent, ReceivedEvent } from '../../core/webhook-events.ts'

/** The members of an event except its body, in the order of the contract (docs/webhooks.md). */
export function eventFacts(event: ReceivedEvent): JsonObject {
  return {
    type: 'event',
    id: event.id ?? null,
    event: event.name ?? null,
    record_id: event.recordId ?? null,
    received_at: new Date(event.receivedAtMs).toISOString(),
    verified: event.isVerified,
    duplicate: event.isDuplicate,
    scheme: event.scheme ?? null,
  }
}

/** The members that an event may have as it arrives. */
export const EVENT_MEMBERS: readonly string[] = [
  ...['type', 'id', 'event', 'record_id', 'received_at', 'verified', 'duplicate', 'scheme'],
  ...['body', 'body_text', 'body_base64'],
]

/** An event for lists, `--where` and `--jq`: the members of a line of `crm listen -o jsonl`. */
export function eventRecord(event: ReceivedEvent): CrmRecord {
  return { ...eventFacts(event), ...bodyMember(event.body) }
}

/** The members of events in the log, which also have an outcome. */
export const LOGGED_MEMBERS: readonly string[] = [...EVENT_MEMBERS, 'outcome', 'status', 'failure']

/** An event of the log, for lists, `--where` and `--jq`. */
export function loggedRecord(event: LoggedEvent): CrmRecord {
  const { state, status, failure } = event.outcome ?? {}
  const outcome = { outcome: state ?? null, status: status ?? null, failure: failure ?? null }
  return { ...eventFacts(event), ...outcome, ...bodyMember(event.body) }
}

function bodyMember(body: EventBody): JsonObject {
  if (body.type === 'json') return { body: parseExactJson(body.text) }
  return body.type === 'text' ? { body_text: body.text } : { body_base64: body.bytes.toString('base64') }
}
