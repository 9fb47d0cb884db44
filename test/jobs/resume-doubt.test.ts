import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { encodeLine, readJournal } from '../../src/jobs/journal/journal.ts'
import { JobProgress } from '../../src/jobs/journal/progress.ts'
import { PlanFile } from '../../src/jobs/plan/plan-file.ts'
import { resumeTasks } from '../../src/jobs/send/leases.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { serveForTest } from '../service/serve-for-test.ts'
import { makeJob, sendJob, TERMS } from './job-fixture.ts'
import { leaveLease } from './left-lease.ts'

const ADA = { name: 'Ada', email: 'ada@example.test' }
const AGAIN = { terms: { isDoubtReopened: true } }

test('jobs resume looks up a row in doubt of a finished job again, and creates it if it is absent', async () => {
  const service = await serveForTest()
  const paths = await makeJob([ADA])
  const leasedMs = Date.now() - TERMS.windowMs - 60_000
  await leaveLease(paths, { ...TERMS, leasedMs, keyMark: '00000000' })
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
  await leaveLease(late, { ...TERMS, leasedMs: Date.now() - TERMS.windowMs - 60_000, keyMark: '00000000' })
  expect((await sendJob(late, url)).outcome.account.in_doubt).toBe(1)
  expect((await sendJob(late, url, AGAIN)).outcome.account.in_doubt).toBe(1)
  expect(posts()).toEqual([])

  const soon = await makeJob([{ body: 'Called' }], 'notes', '/v1/deals/deal_1/notes')
  await leaveLease(soon, { ...TERMS, leasedMs: Date.now() - 60_000, keyMark: '00000000' })
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
  await leaveLease(paths, { ...TERMS, leasedMs: Date.now() - 60_000, keyMark: '00000000' })
  const journal = readFileSync(paths.journal, 'utf8')
  const doubt = encodeLine({ t: 'doubt', op: 0, why: 'test' }, { serial: 2, synced: 0 })
  const ended = { done: 0, failed: 0, doubt: 1, unsent: 0 }
  const end = encodeLine({ t: 'end', time: Date.now(), state: 'finished', ...ended }, { serial: 3, synced: 0 })
  writeFileSync(paths.journal, `${journal}${doubt}${end}`)
  const later = paths.folder.replace(paths.id, 'job_zzzzzzzzzzz')
  cpSync(paths.folder, later, { recursive: true })
  expect((await sendJob(paths, url, AGAIN)).outcome.account.in_doubt).toBe(1)
  expect(seen).toEqual([])
  rmSync(later, { recursive: true })
  expect((await sendJob(paths, url, AGAIN)).outcome.account).toMatchObject({ done: 1, in_doubt: 0 })
})

test.each([
  { of: 'the lease, where that is shorter', leaseMs: 60_000, termsMs: 1_800_000 },
  { of: 'the terms, where that is shorter', leaseMs: 1_800_000, termsMs: 60_000 },
])('what was sent before is not sent again behind the window of $of', async ({ leaseMs, termsMs }) => {
  const paths = await makeJob([{ name: 'Ada' }])
  await leaveLease(paths, { leasedMs: 5_000_000, windowMs: leaseMs, lifeMs: 1000, keyMark: '00000000' })
  const plan = new PlanFile(paths.plan)
  const progress = new JobProgress(plan.count)
  readJournal(paths.journal, (entry) => progress.take(entry))
  const { sent } = resumeTasks(plan, progress, { ...TERMS, windowMs: termsMs, keyMark: '00000000' })
  plan.close()
  expect(sent).toMatchObject([{ leasedMs: 5_000_000, expiresMs: 5_060_000, isInDoubt: true }])
})
