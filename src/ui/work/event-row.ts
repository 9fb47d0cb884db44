import type { Arrival, EventBody, HandOver, ReceivedEvent, RejectedRequest } from '../../core/arrivals.ts'
import type { CrmRecord } from '../../core/resources.ts'

/** More of a body is for `crm webhooks events show`: thousands of rows are held. */
const LONGEST_BODY = 4_000

export const REJECTED = 'rejected'

export function arrivalRow(arrival: Arrival, number: number): CrmRecord {
  return arrival.type === 'event' ? eventRow(arrival) : rejectedRow(arrival, number)
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
  // Copied: a part of a text keeps the whole in memory.
  const head = Buffer.from(body.text.slice(0, LONGEST_BODY)).toString()
  return `${head}… (${body.text.length} characters)`
}

/** It is in no log, and has no id but this one: nothing but this row tells of it. */
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

/** `-> 200 in 12 ms`, `-> exit 1`: how a try to hand it on went. */
export function handOverText({ type, status, failure, tookMs, retryInMs }: HandOver): string {
  const answer = type === 'executed' ? `exit ${status ?? '-'}` : String(status ?? 'no answer')
  const why = failure === undefined ? ` in ${tookMs} ms` : `: ${failure}`
  return `${answer}${why}${retryInMs === undefined ? '' : `, again in ${retryInMs / 1000} s`}`
}
