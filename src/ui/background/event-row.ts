import type { CrmRecord } from '../../core/resources/registry.ts'
import type { EventBody, ForwardResult, Received, ReceivedEvent, RejectedRequest } from '../../core/webhook-events.ts'

/** Longer bodies are cut, because thousands of rows are held; `crm webhooks events show` prints them in full. */
const LONGEST_BODY = 4_000

export const REJECTED = 'rejected'

export function receivedRow(received: Received, number: number): CrmRecord {
  return received.type === 'event' ? eventRow(received) : rejectedRow(received, number)
}

export function eventRow(event: ReceivedEvent): CrmRecord {
  const { id, name, recordId, receivedAtMs, isVerified, isDuplicate, scheme, body } = event
  return {
    id: id ?? null,
    event: name ?? null,
    record_id: recordId ?? null,
    received_at: new Date(receivedAtMs).toISOString(),
    state: [isVerified ? 'verified' : 'UNVERIFIED', ...(isDuplicate ? ['again'] : [])].join(' '),
    scheme: scheme ?? null,
    body: bodyText(body),
  }
}

function bodyText(body: EventBody): string {
  if (body.type === 'bytes') return `${body.bytes.length} bytes`
  if (body.text.length <= LONGEST_BODY) return body.text
  // Copied, because a slice keeps the whole text in memory.
  const head = Buffer.from(body.text.slice(0, LONGEST_BODY)).toString()
  return `${head}… (${body.text.length} characters)`
}

/** A rejected request is not in the log: this row is its only trace, and its id is made up. */
function rejectedRow(request: RejectedRequest, number: number): CrmRecord {
  const { receivedAtMs, reason, status, detail, method, path, headerNames } = request
  return {
    id: `${REJECTED} ${number}`,
    event: REJECTED,
    record_id: null,
    received_at: new Date(receivedAtMs).toISOString(),
    state: `${status} ${reason}`,
    why: detail,
    request: method === undefined ? null : `${method} ${path}`,
    headers: headerNames.join(', '),
  }
}

/**
 * Adds the result of an attempt to a row, after earlier results. The state lists them in order (`verified -> 503 x2, 200`),
 * the pane shows each with its reason, above the body.
 */
export function withForwardResult(row: CrmRecord, result: ForwardResult): CrmRecord {
  const attempts = Object.keys(row).filter((name) => name.startsWith(ATTEMPT)).length
  const [state = '', results = ''] = String(row.state).split(ARROW)
  const { body, ...members } = row
  return {
    ...members,
    state: `${state}${ARROW}${withResult(results, resultText(result))}`,
    [`${ATTEMPT} ${attempts + 1}`]: `${forwardResultText(result)}${TO}${result.target}`,
    ...(body !== undefined && { body }),
  }
}

const ATTEMPT = 'attempt'
const ARROW = ' -> '
/** Between the result of an attempt and its target. */
export const TO = ' · '

function withResult(results: string, result: string): string {
  const parts = results === '' ? [] : results.split(', ')
  const [last, times = '1'] = parts.at(-1)?.split(' x') ?? []
  if (last !== result) return [...parts, result].join(', ')
  return [...parts.slice(0, -1), `${result} x${Number(times) + 1}`].join(', ')
}

function resultText({ type, status }: ForwardResult): string {
  return type === 'executed' ? `exit ${status ?? '-'}` : String(status ?? 'no answer')
}

/** `-> 200 in 12 ms`, `-> exit 1`: the result of an attempt. */
export function forwardResultText(result: ForwardResult): string {
  const { failure, tookMs, retryInMs } = result
  const why = failure === undefined ? ` in ${tookMs} ms` : `: ${failure}`
  return `${resultText(result)}${why}${retryInMs === undefined ? '' : `, again in ${retryInMs / 1000} s`}`
}
