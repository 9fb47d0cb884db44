import type { ReceivedEvent } from '../../src/core/webhook-events.ts'
import { readEvent } from '../../src/webhooks/read-event.ts'

/** An event as returned by a receiver. */
export function sampleEvent(
  id: string,
  more: Partial<ReceivedEvent> & { readonly bytes?: Buffer } = {},
): ReceivedEvent {
  const { bytes = Buffer.from(`{"type":"contact.created","data":{"id":"con_${id}"}}`), ...others } = more
  const { body, facts } = readEvent(bytes)
  const { name, recordId } = facts
  return {
    type: 'event',
    id,
    name,
    recordId,
    receivedAtMs: Date.UTC(2026, 0, 2),
    isVerified: true,
    isDuplicate: false,
    scheme: 'standard-webhooks',
    subscriptionId: 'wh_1',
    body,
    delivery: { url: 'http://127.0.0.1:4242/hook?a=1', headers: [['webhook-id', id]], bytes },
    ...others,
  }
}
