import { expect, test } from 'vitest'
import { CrmError } from '../../src/core/errors.ts'
import { reportError } from '../../src/output/report.ts'
import { fakeIo } from './fake-io.ts'

const LOST = new CrmError('in_doubt', 'cannot create the contact: \u001b[2Jit broke', {
  ...{ hint: 'crm contacts create ... --idempotency-key k_1', status: 502, requestId: 'req_1', isRetryable: true },
  ...{ retryAfterMs: 2000, idempotencyKey: 'k_1', job: 'job_1' },
})

function reported(error: unknown, argv: readonly string[]) {
  const io = fakeIo()
  const exit = reportError(io.stderr, error, argv)
  return { exit, text: io.err() }
}

test('people get two lines, the error and the next command, without characters that move the cursor', () => {
  expect(reported(LOST, ['contacts', 'create'])).toEqual({
    exit: 3,
    text: 'crm: cannot create the contact: \\x1b[2Jit broke\n  crm contacts create ... --idempotency-key k_1\n',
  })
})

test('programs get one object with every member, including the key of a write in doubt', () => {
  const { text } = reported(LOST, ['contacts', 'create', '-o', 'json'])
  expect(JSON.parse(text)).toEqual({
    error: {
      ...{ code: 'in_doubt', message: LOST.message, status: 502, request_id: 'req_1', retryable: true },
      ...{ retry_after_ms: 2000, hint: LOST.details.hint, job: 'job_1', idempotency_key: 'k_1' },
    },
  })
})

test.each([
  [['-o', 'json'], true],
  [['-ojsonl'], true],
  [['-o=json'], true],
  [['--output', 'jsonl'], true],
  [['--output=json'], true],
  [['-o', 'csv'], false],
  [['-o', 'json', '-o', 'table'], false],
  [['--', '-o', 'json'], false],
  [['-o'], false],
])('%j is for programs: %s', (argv, isForPrograms) => {
  expect(reported(LOST, argv).text.startsWith('{')).toBe(isForPrograms)
})

test('any error that is not a CrmError is a bug, for programs, too', () => {
  expect(reported(new Error('oops'), [])).toMatchObject({
    exit: 1,
    text: expect.stringContaining('crm: this is a bug'),
  })
  const { text } = reported(new Error('oops'), ['-o', 'json'])
  expect(JSON.parse(text.trim().split('\n').at(-1) ?? '')).toMatchObject({ error: { code: 'bug', retryable: false } })
})

test('an error of several lines is printed line by line, without control characters', () => {
  const error = new CrmError('invalid_input', 'a; b', { hint: 'correct it', lines: ['a', 'b\u001b[2J'] })
  expect(reported(error, []).text).toBe('crm: a\ncrm: b\\x1b[2J\n  correct it\n')
})

test('an error of the system that names a path is one of that path, and no bug', () => {
  const trouble = (code: string) =>
    Object.assign(new Error(`${code}: it failed, stat`), { code, path: '/no/such/file' })
  expect(reported(trouble('ELOOP'), ['fixtures', 'validate'])).toEqual({
    exit: 13,
    text: 'crm: cannot use /no/such/file: symbolic links of its path lead in a circle, or one stands where none may\n  see what is there: ls -ld /\n',
  })
  expect(reported(trouble('EUNKNOWN'), []).exit).toBe(1)
  expect(reported(Object.assign(new Error('ELOOP'), { code: 'ELOOP' }), []).exit).toBe(1)
})
