import type { ErrorCode } from '../../core/errors.ts'
import { COUNT_OR_NULL, type JsonSchema, made, TEXT, TEXT_OR_NULL, TRUE_OR_FALSE, words } from './json-schema.ts'

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
