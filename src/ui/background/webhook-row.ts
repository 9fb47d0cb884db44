import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { isFailing } from '../../core/webhook-events.ts'

/** The newest first. */
export interface NewestDeliveries {
  readonly items: readonly JsonObject[]
  readonly hasOlder: boolean
}

/** A subscription as a row: its events as one text. */
export function webhookRow(webhook: CrmRecord): CrmRecord {
  // No server should show it, and no screen does.
  const { secret: _, ...row } = webhook
  return { ...row, events: eventsText(webhook.events) }
}

function eventsText(events: JsonValue | undefined): JsonValue {
  return Array.isArray(events) && events.every((each) => typeof each === 'string')
    ? events.join(', ')
    : (events ?? null)
}

/** The row with its newest deliveries. */
export function withDeliveries(row: CrmRecord, { items: deliveries, hasOlder }: NewestDeliveries): CrmRecord {
  const [last] = deliveries
  const { id, created_at, updated_at, version, ...members } = row
  return {
    ...members,
    last: last ? resultText(last) : 'none',
    last_at: last?.last_try_at ?? null,
    attempts: last?.attempts ?? null,
    failing: deliveries.filter(isFailing).length,
    looked_at: deliveries.length,
    ...Object.fromEntries(deliveries.map((each, at) => [`delivery ${at + 1}`, deliveryText(each)])),
    ...(hasOlder && { older: `newest ${deliveries.length}; more: crm webhooks deliveries ${shellWord(String(id))}` }),
    ...present({ id, created_at, updated_at, version }),
  }
}

function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** `200`, `503 failed`, `no answer pending`. */
function resultText({ last_status: status, last_error: error, state }: JsonObject): string {
  const word = String(state ?? '')
  const result = typeof status === 'number' ? String(status) : error ? 'no answer' : ''
  return word === 'succeeded' ? result || word : [result, word].filter((part) => part !== '').join(' ')
}

function deliveryText(delivery: JsonObject): string {
  const { attempts, kind, event_id: event, last_try_at: tried, next_try_at: next, last_error: error } = delivery
  const count = typeof attempts === 'number' ? `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}` : undefined
  const parts = [resultText(delivery), count, kind, event, tried, next ? `again ${String(next)}` : undefined, error]
  return parts.filter((part) => typeof part === 'string' && part !== '').join(' · ')
}

/** What sends all failed events of a subscription again; undefined if the row has all its deliveries. */
export function resendCommand({ id, older }: CrmRecord): string | undefined {
  return older === undefined ? undefined : `crm webhooks resend ${shellWord(String(id))} --failed`
}
