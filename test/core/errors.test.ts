import { expect, test } from 'vitest'
import { CrmError, type ErrorCode } from '../../src/core/errors.ts'

/** The exit codes that scripts rely on, repeated here: `crm help exit-codes` states that they do not change. */
const EXITS: Readonly<Record<ErrorCode, number>> = {
  usage: 2,
  invalid_input: 2,
  partial: 3,
  in_doubt: 3,
  no_key: 4,
  unauthorized: 4,
  forbidden: 5,
  not_found: 6,
  bad_request: 7,
  conflict: 7,
  precondition_failed: 7,
  invalid_values: 7,
  rejected: 7,
  bad_answer: 7,
  not_supported: 7,
  rate_limited: 8,
  unreachable: 9,
  timeout: 9,
  server_error: 9,
  differences: 10,
  unconfirmed: 11,
  not_in_time: 12,
  machine: 13,
  interrupted: 130,
}

test.each(Object.entries(EXITS))('%s exits with %i', (code, exit) => {
  expect(new CrmError(code as ErrorCode, 'test', { hint: 'test' }).exit).toBe(exit)
})
