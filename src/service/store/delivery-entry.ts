import { encodeId } from '../../core/ids.ts'
import type { DeliveryEntry } from './deliveries.ts'

/** A delivery as databases return it. */
export type EntryRow = readonly [
  eventSerial: number,
  webhookSerial: number,
  kind: string,
  recordId: string,
  state: DeliveryEntry['state'],
  attempts: number,
  nextAtMs: number,
  lastAtMs: number | null,
  lastStatus: number | null,
  lastError: string | null,
]

export function entryOf(row: EntryRow): DeliveryEntry {
  const [eventSerial, webhookSerial, kind, recordId, state, attempts, nextAtMs, lastAtMs, lastStatus, lastError] = row
  return {
    eventId: encodeId('event', eventSerial),
    webhookId: encodeId('webhook', webhookSerial),
    kind,
    recordId,
    state,
    attempts,
    nextTryAtMs: state === 'pending' ? nextAtMs : undefined,
    lastTryAtMs: lastAtMs ?? undefined,
    lastStatus: lastStatus ?? undefined,
    lastError: lastError ?? undefined,
  }
}
