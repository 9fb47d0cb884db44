import { isJsonObject } from '../../core/json.ts'
import type { ReceivedEvent } from '../../core/webhook-events.ts'

/** Of Standard Webhooks and Svix. Others state no time of their own, or one in whole seconds. */
const SENT_AT = ['webhook-timestamp', 'svix-timestamp']

/** A signature tells its time in whole seconds, and is some time on its way. */
const SAME_CLOCK_MS = 3000

/**
 * When an event came about, in the time of this machine; undefined where its sender does not say. The clock of another
 * machine is not believed, but how old the event was when it was signed by that same clock: the second to which that
 * time is cut makes it look younger, never older.
 */
export function madeAtMs({ body, delivery, receivedAtMs }: ReceivedEvent, isSameMachine: boolean): number | undefined {
  const stated = body.type === 'json' && isJsonObject(body.value) ? body.value.timestamp : undefined
  const statedMs = typeof stated === 'string' ? Date.parse(stated) : Number.NaN
  const sentAt = delivery.headers.find(([name]) => SENT_AT.includes(name.toLowerCase()))?.[1]
  const sentAtMs = Number(sentAt ?? Number.NaN) * 1000
  if (Number.isNaN(statedMs) || Number.isNaN(sentAtMs)) return undefined
  // A port of this machine may lead to another one.
  if (isSameMachine && Math.abs(receivedAtMs - sentAtMs) < SAME_CLOCK_MS) return statedMs
  return receivedAtMs - Math.max(0, sentAtMs - statedMs)
}
