import type { Arrival, EventBody } from '../../core/arrivals.ts'
import { jsonText } from '../../output/json-text.ts'
import type { ArrivalPrinter } from './arrival-printer.ts'

/** What a terminal obeys, as in src/output/json-text.ts; in valid JSON it stands in strings alone, where an escape means the same. */
const OBEYED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A line an object; `type` tells them apart, and the members are a contract (docs/webhooks.md). */
export function createJsonlArrivals(): ArrivalPrinter {
  return {
    ready: ({ url, isVerifying, subscriptionId }) =>
      `${jsonText({ type: 'ready', url, verifies: isVerifying, subscription_id: subscriptionId ?? null })}\n`,
    line: (arrival) => `${arrivalText(arrival)}\n`,
  }
}

function arrivalText(arrival: Arrival): string {
  const received_at = new Date(arrival.receivedAtMs).toISOString()
  if (arrival.type === 'rejected') {
    const { reason, status, detail, method, path, headerNames } = arrival
    return jsonText({
      type: 'rejected',
      reason,
      status,
      detail,
      received_at,
      method: method ?? null,
      path: path ?? null,
      headers: headerNames,
    })
  }
  const known = jsonText({
    type: 'event',
    id: arrival.id ?? null,
    event: arrival.name ?? null,
    record_id: arrival.recordId ?? null,
    received_at,
    verified: arrival.isVerified,
    duplicate: arrival.isDuplicate,
    scheme: arrival.scheme ?? null,
  })
  return `${known.slice(0, -1)},${bodyMember(arrival.body)}}`
}

/** JSON goes out as it came, so that no number loses digits and no depth is too deep; line ends stand between its tokens alone. */
function bodyMember(body: EventBody): string {
  if (body.type === 'json') return `"body":${safeJson(body.text)}`
  return body.type === 'text'
    ? `"body_text":${jsonText(body.text)}`
    : `"body_base64":"${body.bytes.toString('base64')}"`
}

function safeJson(text: string): string {
  return text
    .trim()
    .replace(/[\r\n]+/g, ' ')
    .replace(OBEYED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
