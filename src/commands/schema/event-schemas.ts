import type { JsonSchema } from '../../core/json.ts'
import { REJECTIONS, SCHEME_NAMES } from '../../core/webhook-events.ts'
import {
  ALWAYS_TRUE,
  ANYTHING,
  arrayOf,
  COUNT,
  COUNT_OR_NULL,
  made,
  oneOfSchemas,
  orNull,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  TRUE_OR_FALSE,
} from './json-schema.ts'

const SCHEME: JsonSchema = { enum: SCHEME_NAMES }
const HEADERS = arrayOf({ type: 'array', items: TEXT, minItems: 2, maxItems: 2 })
/** One of them: JSON, other text, or bytes. */
const BODY = { body: ANYTHING, body_text: TEXT, body_base64: TEXT }

const NAMED = { id: TEXT_OR_NULL, event: TEXT_OR_NULL, record_id: TEXT_OR_NULL, received_at: TIME }
const JUDGED = { verified: TRUE_OR_FALSE, duplicate: TRUE_OR_FALSE, scheme: orNull(SCHEME) }
const FACTS = { type: { const: 'event' }, ...NAMED, ...JUDGED }

export const EVENT = made(FACTS, BODY)

const OUTCOME = { outcome: orNull({ enum: ['done', 'failed'] }), status: COUNT_OR_NULL, failure: TEXT_OR_NULL }

/** An event of the log, which has an outcome. */
export const KEPT_EVENT = made({ ...FACTS, ...OUTCOME }, BODY)

const ATTEMPT = made({
  started_at: TIME,
  took_ms: { type: 'number', minimum: 0 },
  target: TEXT,
  status: COUNT_OR_NULL,
  failure: TEXT_OR_NULL,
  attempt: { type: 'integer', minimum: 0 },
  answer: TEXT_OR_NULL,
})

export const SHOWN_EVENT = made(
  { ...FACTS, ...OUTCOME, attempts: arrayOf(ATTEMPT), subscription_id: TEXT_OR_NULL, url: TEXT, headers: HEADERS },
  BODY,
)

/** A line of the event log, which `events export` prints. */
export const LOGGED_EVENT = made(
  { v: { const: 1 }, ...NAMED, ...JUDGED, subscription_id: TEXT_OR_NULL, url: TEXT, headers: HEADERS },
  { body_text: TEXT, body_base64: TEXT },
)

const READY = made({
  type: { const: 'ready' },
  url: TEXT,
  verifies: TRUE_OR_FALSE,
  subscription_id: TEXT_OR_NULL,
  public_url: TEXT_OR_NULL,
  log: TEXT,
})

const REJECTED = made({
  type: { const: 'rejected' },
  reason: { enum: Object.keys(REJECTIONS) },
  status: COUNT,
  detail: TEXT,
  received_at: TIME,
  method: TEXT_OR_NULL,
  path: TEXT_OR_NULL,
  headers: arrayOf(TEXT),
})

const HAND_OVER = {
  id: TEXT_OR_NULL,
  event: TEXT_OR_NULL,
  target: TEXT,
  failure: TEXT_OR_NULL,
  attempt: { type: 'integer', minimum: 1 },
  retry_in_ms: { type: ['number', 'null'], minimum: 0 },
  started_at: TIME,
  took_ms: { type: 'number', minimum: 0 },
}

const FORWARDED = made({ type: { const: 'forwarded' }, ...HAND_OVER, status: COUNT_OR_NULL }, { response: TEXT })
const EXECUTED = made({ type: { const: 'executed' }, ...HAND_OVER, exit: COUNT_OR_NULL }, { response: TEXT })

const SIMULATED = made({
  type: { const: 'simulated' },
  id: TEXT_OR_NULL,
  event: TEXT_OR_NULL,
  status: COUNT,
  delay_ms: { type: 'number', minimum: 0 },
  at: TIME,
})

/** A line of `-o jsonl`; `type` names its kind. */
export const LISTEN_EVENT = oneOfSchemas(READY, EVENT, REJECTED, FORWARDED, EXECUTED, SIMULATED)

export const VERIFIED = made({
  verified: ALWAYS_TRUE,
  scheme: SCHEME,
  id: TEXT_OR_NULL,
  event: TEXT_OR_NULL,
  record_id: TEXT_OR_NULL,
})

export const TRIGGERED = made({
  id: TEXT_OR_NULL,
  event: TEXT_OR_NULL,
  target: TEXT,
  status: COUNT_OR_NULL,
  took_ms: { type: 'number', minimum: 0 },
  response: TEXT_OR_NULL,
})
