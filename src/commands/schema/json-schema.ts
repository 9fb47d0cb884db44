import type { ErrorCode } from '../../core/errors.ts'
import type { JsonSchema } from '../../core/json.ts'

export const TEXT: JsonSchema = { type: 'string' }
export const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] }
export const TRUE_OR_FALSE: JsonSchema = { type: 'boolean' }
export const COUNT: JsonSchema = { type: 'integer', minimum: 0 }
export const COUNT_OR_NULL: JsonSchema = { type: ['integer', 'null'], minimum: 0 }
export const TIME: JsonSchema = { type: 'string', format: 'date-time' }
export const TIME_OR_NULL: JsonSchema = { type: ['string', 'null'], format: 'date-time' }
export const ALWAYS_TRUE: JsonSchema = { const: true }
export const ANYTHING: JsonSchema = {}
/** Any object. */
export const ANY_OBJECT: JsonSchema = { type: 'object', additionalProperties: true }

type Members = Readonly<Record<string, JsonSchema>>

/** Objects made by crm: all members are present except optional ones. Later versions may add members. */
export function made(properties: Members, optional: Members = {}): JsonSchema {
  return {
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
  }
}

/** Objects sent by a server: known members have these types if present, and there may be others. */
export function sent(properties: Members): JsonSchema {
  return { type: 'object', properties, additionalProperties: true }
}

export function arrayOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

export function oneOfSchemas(...anyOf: readonly JsonSchema[]): JsonSchema {
  return { anyOf }
}

/** All words of a union, so that one that is added to it does not compile without being added here. */
export function words<Word extends string>(all: Readonly<Record<Word, true>>): JsonSchema {
  return { enum: Object.keys(all) }
}

export function orNull(schema: JsonSchema): JsonSchema {
  return oneOfSchemas(schema, { type: 'null' })
}

export const CODE = words<ErrorCode | 'bug'>({
  usage: true,
  invalid_input: true,
  partial: true,
  in_doubt: true,
  no_key: true,
  unauthorized: true,
  forbidden: true,
  not_found: true,
  bad_request: true,
  conflict: true,
  precondition_failed: true,
  invalid_values: true,
  rejected: true,
  bad_answer: true,
  not_supported: true,
  rate_limited: true,
  unreachable: true,
  timeout: true,
  server_error: true,
  differences: true,
  unconfirmed: true,
  not_in_time: true,
  machine: true,
  interrupted: true,
  bug: true,
})

export const ERROR_RECORD: JsonSchema = made({
  code: CODE,
  message: TEXT,
  status: COUNT_OR_NULL,
  request_id: TEXT_OR_NULL,
  retryable: TRUE_OR_FALSE,
  retry_after_ms: { type: ['number', 'null'], minimum: 0 },
  hint: TEXT_OR_NULL,
  job: TEXT_OR_NULL,
  idempotency_key: TEXT_OR_NULL,
})

/** The last line of stderr with `-o json` or `jsonl`. */
export const ERROR: JsonSchema = made({ error: ERROR_RECORD })
