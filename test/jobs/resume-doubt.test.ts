import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { resumeTasks } from '../../src/jobs/send/tasks.ts'
import { jobPaths } from '../../src/jobs/store/job-folder.ts'
import { JobWriter } from '../../src/jobs/store/job-writer.ts'
import { headOf, withJob } from '../../src/jobs/store/open-job.ts'
import { JobProgress } from '../../src/jobs/store/progress.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { keysOf, makeJob, sendJob, TERMS } from './job-fixture.ts'
import { addEntries, leaveLease } from './left-lease.ts'

const ADA = { name: 'Ada', email: 'ada@example.test' }
const AGAIN = { terms: { isDoubtReopened: true } }

test('jobs resume looks up a row in doubt of a finished job again, and creates it if it is absent', async () => {
  const service = await serveForTest()
  const paths = await makeJob([ADA])
  const leasedMs = Date.now() - TERMS.windowMs - 60_000
  leaveLease(paths, { ...TERMS, leasedMs, keyMark: '00000000' })
  const near = await service.send('POST', '/v1/contacts', { ...ADA, name: 'Ada Lovelace' })
  const send = (options = {}) => sendJob(paths, new URL(service.url), { key: service.key.text, ...options })
  const first = await send()
  expect(first.outcome.account).toMatchObject({ rows: 1, done: 0, in_doubt: 1 })
  expect((await send()).outcome.account.in_doubt).toBe(1)
  expect((await send(AGAIN)).outcome.account.in_doubt).toBe(1)

  await service.send('DELETE', `/v1/contacts/${near.json.id}`)
  expect((await send(AGAIN)).outcome.account).toMatchObject({ done: 1, in_doubt: 0 })
  expect((await send(AGAIN)).outcome.account).toMatchObject({ done: 1, in_doubt: 0 })
  const { json } = await service.send('GET', '/v1/contacts')
  expect(json.data).toMatchObject([ADA])
})

test('a note in doubt is sent again under its key while the server keeps the key, and never after that', async () => {
  const { url, seen } = await startServer((response, { method }) =>
    method === 'GET'
      ? sendJson(response, 200, { data: [], next_cursor: null })
      : sendJson(response, 201, { id: 'note_1' }),
  )
  const posts = () => seen.filter(({ method }) => method === 'POST')
  const late = await makeJob([{ body: 'Called' }], 'notes', '/v1/deals/deal_1/notes')
  leaveLease(late, { ...TERMS, leasedMs: Date.now() - TERMS.windowMs - 60_000, keyMark: '00000000' })
  expect((await sendJob(late, url)).outcome.account.in_doubt).toBe(1)
  expect((await sendJob(late, url, AGAIN)).outcome.account.in_doubt).toBe(1)
  expect(posts()).toEqual([])

  const soon = await makeJob([{ body: 'Called' }], 'notes', '/v1/deals/deal_1/notes')
  leaveLease(soon, { ...TERMS, leasedMs: Date.now() - 60_000, keyMark: '00000000' })
  // Another key of the account than the lease's: what the server knows of it cannot be told.
  expect((await sendJob(soon, url, { services: { keyMark: '11111111' } })).outcome.account.in_doubt).toBe(1)
  expect((await sendJob(soon, url, AGAIN)).outcome.account).toMatchObject({ done: 1, in_doubt: 0 })
  expect(posts()).toHaveLength(1)
})

test('a row in doubt that a later job of the run has is left to that job', async () => {
  const { url, seen } = await startServer((response, { method }) =>
    method === 'GET'
      ? sendJson(response, 200, { data: [], next_cursor: null })
      : sendJson(response, 201, { id: 'con_1' }),
  )
  const paths = await makeJob([ADA])
  leaveLease(paths, { ...TERMS, leasedMs: Date.now() - 60_000, keyMark: '00000000' })
  const ended = { done: 0, failed: 0, doubt: 1, unsent: 0 }
  addEntries(paths, [
    { t: 'doubt', op: 0, why: 'test' },
    { t: 'end', time: Date.now(), state: 'finished', ...ended },
  ])
  const later = jobPaths(paths.jobsFolder, 'job_zzzzzzzzzzz').db
  const writer = new JobWriter(later, { ...headOf(paths), job: 'job_zzzzzzzzzzz' })
  writer.end({ rows: 0, create: 0, update: 0, delete: 0, unchanged: 0, skipped: 0 })
  expect((await sendJob(paths, url, AGAIN)).outcome.account.in_doubt).toBe(1)
  expect(seen).toEqual([])
  rmSync(later)
  expect((await sendJob(paths, url, AGAIN)).outcome.account).toMatchObject({ done: 1, in_doubt: 0 })
})

test.each([
  { of: 'the lease, where that is shorter', leaseMs: 60_000, termsMs: 1_800_000 },
  { of: 'the terms, where that is shorter', leaseMs: 1_800_000, termsMs: 60_000 },
])('what was sent before is not sent again behind the window of $of', async ({ leaseMs, termsMs }) => {
  const paths = await makeJob([{ name: 'Ada' }])
  leaveLease(paths, { leasedMs: 5_000_000, windowMs: leaseMs, lifeMs: 1000, keyMark: '00000000' })
  const terms = { ...TERMS, windowMs: termsMs, keyMark: '00000000' }
  const { sent } = withJob(paths, (job) => resumeTasks(job, JobProgress.of(job), terms))
  expect(sent).toMatchObject([{ leasedMs: 5_000_000, expiresMs: 5_060_000, isInDoubt: true }])
})

test('a server that says that it keeps keys for a shorter time than its connector is believed', async () => {
  const leasedMs = Date.now() - 64_000
  const record = { id: 'con_1', ...ADA, created_at: new Date(leasedMs + 1000).toISOString() }
  const { url, seen } = await startServer((response, { method }) => {
    const headers = { 'idempotency-policy': '"account";w=60' }
    if (method === 'GET') return sendJson(response, 200, { data: [record], next_cursor: null }, headers)
    sendJson(response, 201, { ...record, id: 'con_2' }, headers)
  })
  const paths = await makeJob([ADA])
  leaveLease(paths, { ...TERMS, leasedMs, keyMark: '00000000' })
  const { outcome } = await sendJob(paths, url, { terms: { keys: keysOf(undefined) } })
  expect(outcome.account).toMatchObject({ done: 1, in_doubt: 0 })
  expect(seen.filter(({ method }) => method === 'POST')).toEqual([])
})
