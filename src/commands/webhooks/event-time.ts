import { isJsonObject } from '../../core/json.ts'
import type { ReceivedEvent } from '../../core/webhook-events.ts'

/** Of Standard Webhooks and Svix. Others state no time of their own, or one in whole seconds. */
const SENT_AT = ['webhook-timestamp', 'svix-timestamp']

/** Signatures have times in whole seconds, and take some time to arrive. */
const SAME_CLOCK_MS = 3000

/**
 * When an event occurred, by the clock of this machine; undefined if its sender does not state it. Of another machine's
 * clock, only the age of the event when it was signed is used; rounding to seconds makes it younger, never older.
 */
export function madeAtMs({ body, delivery, receivedAtMs }: ReceivedEvent, isSameMachine: boolean): number | undefined {
  const stated = body.type === 'json' && isJsonObject(body.value) ? body.value.timestamp : undefined
  const statedMs = typeof stated === 'string' ? Date.parse(stated) : Number.NaN
  const sentAt = delivery.headers.find(([name]) => SENT_AT.includes(name.toLowerCase()))?.[1]
  const sentAtMs = Number(sentAt ?? Number.NaN) * 1000
  if (Number.isNaN(statedMs) || Number.isNaN(sentAtMs)) return undefined
  // A port of this machine may be forwarded to another one.
  if (isSameMachine && Math.abs(receivedAtMs - sentAtMs) < SAME_CLOCK_MS) return statedMs
  return receivedAtMs - Math.max(0, sentAtMs - statedMs)
}
