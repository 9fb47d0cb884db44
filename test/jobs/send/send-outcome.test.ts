import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Failure } from '../../../src/api/errors/failure.ts'
import type { Answer } from '../../../src/api/transport/answer.ts'
import type { CrmRecord } from '../../../src/core/resources/registry.ts'
import { openSharedBudget } from '../../../src/jobs/send/run-on-server.ts'
import { judge } from '../../../src/jobs/send/send-outcome.ts'
import type { Task } from '../../../src/jobs/send/tasks.ts'
import { tempFolder } from '../../files/temp-folder.ts'

function taskOf(kind: 'create' | 'update' | 'delete', over: Partial<Task> = {}): Task {
  const id = kind === 'create' ? {} : { id: 'con_1' }
  return {
    operation: { op: 0, head: { do: kind, path: '/v1/contacts', digest: 'd', n: 0, ...id }, body: null },
    ...{
      gen: 0,
      leasedMs: 0,
      expiresMs: 0,
      windowEndMs: 0,
      tries: 0,
      isInDoubt: false,
      isTaken: false,
      isUpsert: false,
      isResumed: false,
      lastSentMs: 0,
    },
    ...over,
  }
}

function failureOf(over: Partial<Failure>): Failure {
  return { code: 'rejected', reason: 'no', hint: '', rule: 'never', isInDoubt: false, headers: {}, ...over }
}

/** Of a write that is done. */
const answer = ({ json = { id: 'con_9' }, ...over }: Partial<Answer> = {}): Answer => {
  const record = json as CrmRecord
  return {
    status: 201,
    headers: {},
    json,
    written: { type: 'done', record, id: 'con_9', quoted: () => record },
    ...over,
  }
}

const doubtful = (isContradiction: boolean): Answer =>
  answer({ json: { ok: true }, written: { type: 'in doubt', why: 'has no record', isContradiction } })

const CASES: readonly (readonly [claim: string, task: Task, outcome: Answer | Failure, sendOutcome: object])[] = [
  ['an answer is done', taskOf('create'), answer(), { type: 'done', status: 201, id: 'con_9' }],
  [
    'a replayed answer to a request that was not sent before is of another job',
    taskOf('create'),
    answer({ headers: { 'idempotent-replayed': 'true' } }),
    { type: 'done', flag: 'o' },
  ],
  [
    'a replayed answer behind a try whose answer was lost is of that try',
    { ...taskOf('create'), isInDoubt: true },
    answer({ headers: { 'idempotent-replayed': 'true' } }),
    { type: 'done', flag: 'r' },
  ],
  [
    'a replayed answer behind a lost one is of another job where its record was made before that was sent',
    { ...taskOf('create'), isInDoubt: true, leasedMs: Date.parse('2026-01-01T00:00:06Z') },
    answer({ headers: { 'idempotent-replayed': 'true' }, json: { id: 'con_9', created_at: '2026-01-01T00:00:00Z' } }),
    { type: 'done', flag: 'o' },
  ],
  [
    'a refusal within a 200 fails the row',
    taskOf('create'),
    failureOf({ status: 200 }),
    { type: 'failed', entry: { status: 200, code: 'rejected' } },
  ],
  [
    'one that asks for another try is sent again',
    taskOf('create'),
    failureOf({ status: 200, code: 'server_error', rule: 'few' }),
    { type: 'again', because: 'outage' },
  ],
  [
    'a delete that is refused within a 200 fails the row',
    taskOf('delete'),
    failureOf({ status: 200 }),
    { type: 'failed' },
  ],
  [
    'a refusal within a 200 behind a try that may have worked is looked up',
    taskOf('create', { isInDoubt: true }),
    failureOf({ status: 200 }),
    { type: 'unsettled' },
  ],
  [
    'a create that is answered with another record is taken, and may still be under way',
    taskOf('create'),
    doubtful(false),
    { type: 'unsettled', isAnswered: false, isTaken: true, contradiction: undefined },
  ],
  [
    'a create whose answer is not what the connector describes stops the job, too',
    taskOf('create'),
    doubtful(true),
    { type: 'unsettled', isTaken: true, contradiction: { reason: 'the answer (201) has no record: {"ok":true}' } },
  ],
  [
    'so does an update, which may be sent again',
    taskOf('update'),
    doubtful(true),
    { type: 'unsettled', isAnswered: true, isTaken: false, contradiction: { code: 'in_doubt' } },
  ],
  [
    'an HTML page with status 200 stops the job, and is not sent again',
    taskOf('create'),
    failureOf({ code: 'in_doubt', status: 200, isInDoubt: true }),
    { type: 'unsettled', isAnswered: false, isTaken: true, contradiction: { status: 200 } },
  ],
  [
    '410 to a delete is looked up, as 404 is',
    taskOf('delete'),
    failureOf({ status: 410 }),
    { type: 'unsettled', goneAs: { ifGone: [0, 410, 'con_1', 'g'], ifThere: { t: 'failed', status: 410 } } },
  ],
  [
    '429 was not executed: the same key',
    taskOf('create'),
    failureOf({ code: 'rate_limited', status: 429, rule: 'patient', retryAfterMs: 5000 }),
    { type: 'again', because: 'limit', afterMs: 5000 },
  ],
  [
    '503 with Retry-After was not executed',
    taskOf('create'),
    failureOf({ code: 'server_error', status: 503, rule: 'few', retryAfterMs: 1000, isInDoubt: true }),
    { type: 'again', because: 'limit' },
  ],
  [
    '500 is the same key',
    taskOf('create'),
    failureOf({ code: 'server_error', status: 500, rule: 'few' }),
    { type: 'again', because: 'outage' },
  ],
  [
    'a time-out is the same key',
    taskOf('create'),
    failureOf({ code: 'timeout', rule: 'few', isInDoubt: true }),
    { type: 'again', because: 'outage' },
  ],
  [
    'a stored 500 is looked up at once',
    taskOf('create'),
    failureOf({ code: 'server_error', status: 500, rule: 'few', headers: { 'idempotent-replayed': 'true' } as never }),
    { type: 'unsettled', isAnswered: true },
  ],
  [
    'a row that fails without end is looked up',
    taskOf('create', { tries: 11 }),
    failureOf({ code: 'server_error', status: 500, rule: 'few' }),
    { type: 'unsettled', isAnswered: false },
  ],
  [
    '409 in progress waits',
    taskOf('create'),
    failureOf({ code: 'conflict', status: 409, rule: 'patient' }),
    { type: 'again', because: 'running', afterMs: 1000 },
  ],
  [
    'a key that was used for another body fails the row, and no new key is made',
    taskOf('create', { isInDoubt: true }),
    failureOf({ code: 'invalid_values', status: 422, serverCode: 'idempotency_key_reused' }),
    { type: 'failed', entry: { code: 'key_reused' } },
  ],
  [
    '422 fails the row',
    taskOf('create'),
    failureOf({ code: 'invalid_values', status: 422, field: 'email' }),
    { type: 'failed', entry: { field: 'email', status: 422 } },
  ],
  [
    'a refusal behind a try that may have worked is looked up: it may be that try that stands in the way',
    taskOf('create', { isInDoubt: true }),
    failureOf({ code: 'conflict', status: 409 }),
    { type: 'unsettled' },
  ],
  ['401 stops the job', taskOf('create'), failureOf({ code: 'unauthorized', status: 401 }), { type: 'stopped' }],
  ['403 stops the job', taskOf('create'), failureOf({ code: 'forbidden', status: 403 }), { type: 'stopped' }],
  ['a redirect stops the job', taskOf('create'), failureOf({ status: 301 }), { type: 'stopped' }],
  [
    'a redirect after a create that may have been handled is looked up, and the create is never sent again',
    taskOf('create'),
    failureOf({ status: 302, code: 'in_doubt', isInDoubt: true }),
    { type: 'unsettled', isTaken: true, contradiction: undefined },
  ],
  [
    'what is wrong with this machine stops the job',
    taskOf('create'),
    failureOf({ code: 'machine' }),
    { type: 'stopped' },
  ],
  [
    'a DELETE of what is not there is done where the list does not have it',
    taskOf('delete'),
    failureOf({ code: 'not_found', status: 404 }),
    { type: 'unsettled', isAnswered: true, goneAs: { ifGone: [0, 404, 'con_1', 'g'], ifThere: { code: 'not_found' } } },
  ],
  [
    '404 behind a DELETE whose answer was lost is what that one did',
    taskOf('delete', { isInDoubt: true }),
    failureOf({ code: 'not_found', status: 404 }),
    { type: 'unsettled', isAnswered: true, goneAs: { ifGone: [0, 404, 'con_1'] } },
  ],
  [
    'a PATCH of what is not there fails the row',
    taskOf('update'),
    failureOf({ code: 'not_found', status: 404 }),
    { type: 'failed', entry: { code: 'not_found' } },
  ],
]

test.each(CASES)('%s', (_, task, outcome, sendOutcome) => {
  expect(judge(task, outcome)).toMatchObject(sendOutcome)
})

async function openFor(home: string, account: string, perSecond: number | undefined) {
  const options = { home, account, pid: process.pid, wallMs: Date.now, perSecond: () => perSecond }
  const budget = await openSharedBudget(options)
  onTestFinished(() => budget.close())
  return budget
}

test('a process that starts knows the rate that another one of the account has observed', async () => {
  const home = await tempFolder()
  await openFor(home, 'http://crm.test', 12.5)
  expect(await openFor(home, 'http://crm.test', undefined)).toMatchObject({ processes: 2, perSecond: 12.5 })
  expect(await openFor(home, 'http://other.test', undefined)).toMatchObject({ processes: 1, perSecond: undefined })
})

test('a process whose file was not written for five seconds has ended, and its file is deleted', async () => {
  const home = await tempFolder()
  await openFor(home, 'http://crm.test', undefined)
  const [account = ''] = readdirSync(join(home, 'pace'))
  const stale = join(home, 'pace', account, '1-killed')
  writeFileSync(stale, '{}')
  utimesSync(stale, Date.now() / 1000 - 6, Date.now() / 1000 - 6)
  expect(await openFor(home, 'http://crm.test', undefined)).toMatchObject({ processes: 2 })
  expect(existsSync(stale)).toBe(false)
})
