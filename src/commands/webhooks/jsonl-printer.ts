import type { JsonObject } from '../../core/json.ts'
import type { EventBody, ForwardResult, ListenEvent, RejectedRequest, Simulation } from '../../core/webhook-events.ts'
import { escapeObeyed, jsonText } from '../../output/safe-text.ts'
import { eventFacts } from './event-record.ts'

/** One object per line, with a `type`; the members are a contract (docs/webhooks.md). */
export function createJsonlPrinter(): EventPrinter {
  return {
    ready: ({ url, publicUrl, isVerifying, subscriptionId, folder }) =>
      `${jsonText({
        type: 'ready',
        url,
        verifies: isVerifying,
        subscription_id: subscriptionId ?? null,
        public_url: publicUrl ?? null,
        log: folder,
      })}\n`,
    line: (listenEvent) => `${listenEventText(listenEvent)}\n`,
  }
}

export function listenEventText(listenEvent: ListenEvent): string {
  if (listenEvent.type === 'event') {
    const known = jsonText(eventFacts(listenEvent))
    return `${known.slice(0, -1)},${bodyMember(listenEvent.body)}}`
  }
  if (listenEvent.type === 'rejected') return jsonText(rejection(listenEvent))
  return jsonText(listenEvent.type === 'simulated' ? simulation(listenEvent) : forwardResult(listenEvent))
}

function rejection({ reason, status, detail, receivedAtMs, method, path, headerNames }: RejectedRequest): JsonObject {
  return {
    type: 'rejected',
    reason,
    status,
    detail,
    received_at: new Date(receivedAtMs).toISOString(),
    method: method ?? null,
    path: path ?? null,
    headers: [...headerNames],
  }
}

function forwardResult(result: ForwardResult): JsonObject {
  return {
    type: result.type,
    id: result.id ?? null,
    event: result.name ?? null,
    target: result.target,
    [result.type === 'forwarded' ? 'status' : 'exit']: result.status ?? null,
    failure: result.failure ?? null,
    attempt: result.attempt,
    retry_in_ms: result.retryInMs ?? null,
    started_at: new Date(result.startedAtMs).toISOString(),
    took_ms: result.tookMs,
    ...(result.response !== undefined && { response: result.response }),
  }
}

function simulation({ id, name, status, delayMs, atMs }: Simulation): JsonObject {
  return {
    type: 'simulated',
    id: id ?? null,
    event: name ?? null,
    status,
    delay_ms: delayMs,
    at: new Date(atMs).toISOString(),
  }
}

/** JSON is printed unchanged, so that numbers keep their digits and nesting is not limited; only line ends between tokens are replaced. */
function bodyMember(body: EventBody): string {
  if (body.type === 'json') return `"body":${safeJson(body.text)}`
  return body.type === 'text'
    ? `"body_text":${jsonText(body.text)}`
    : `"body_base64":"${body.bytes.toString('base64')}"`
}

function safeJson(text: string): string {
  return escapeObeyed(text.trim().replace(/[\r\n]+/g, ' '))
}

export interface Ready {
  readonly url: string
  /** Where senders reach it, when that is another address. */
  readonly publicUrl: string | undefined
  /** False with `--insecure-skip-verify`. */
  readonly isVerifying: boolean
  /** Undefined when the secret was read from a file, or events are not verified. */
  readonly subscriptionId: string | undefined
  /** Of the event log. */
  readonly folder: string
}

/** One format of a stream without end. Each method gives the text to write now. */
export interface EventPrinter {
  ready(ready: Ready): string
  line(listenEvent: ListenEvent): string
}
