import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { removeJobs } from '../../src/jobs/history/end-jobs.ts'
import { withJobLock } from '../../src/jobs/store/job-lock.ts'
import { withJob } from '../../src/jobs/store/open-job.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { ACCOUNT, makeJob, sendJob, TERMS } from './job-fixture.ts'

const people = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `Person ${at}` }))

test('each row of a job is sent once, under a key of its own', async () => {
  const paths = await makeJob([...people(300), { name: 'Person 7' }])
  const { url, seen } = await startServer((response, { method }, nth) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    sendJson(response, 201, { id: `con_${nth}` })
  })
  const { outcome } = await sendJob(paths, url)
  expect(outcome.stop).toBeUndefined()
  expect(outcome.account).toEqual({ rows: 301, done: 301, unchanged: 0, skipped: 0, failed: 0, in_doubt: 0, unsent: 0 })
  const keys = seen.filter(({ method }) => method === 'POST').map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(301)
})

test('rows longer than a chunk of the plan are sent, and so are those after them', async () => {
  const paths = await makeJob([...people(2), { name: 'x'.repeat(70_000) }, { name: 'y'.repeat(300_000) }, ...people(3)])
  const { url, seen } = await startServer((response, { method }, nth) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    sendJson(response, 201, { id: `con_${nth}` })
  })
  const { outcome } = await sendJob(paths, url)
  expect(outcome.account).toMatchObject({ rows: 7, done: 7, unsent: 0 })
  const lengths = seen.filter(({ method }) => method === 'POST').map(({ body }) => body.length)
  expect(lengths.filter((length) => length > 70_000)).toHaveLength(2)
})

test('a job that is done sends nothing more', async () => {
  const paths = await makeJob(people(3))
  const { url, seen } = await startServer((response, _, nth) =>
    sendJson(response, 201, { id: `con_${nth}`, data: [], next_cursor: null }),
  )
  await sendJob(paths, url)
  const before = seen.length
  const { outcome } = await sendJob(paths, url)
  expect(outcome.account.done).toBe(3)
  expect(seen.length).toBe(before)
})

test('an error before a request ends the job: the answers under way are taken, and nothing more is sent', async () => {
  const paths = await makeJob(people(100))
  let posts = 0
  const { url } = await startServer(async (response, { method }, nth) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    posts += 1
    await delay(20)
    sendJson(response, 201, { id: `con_${nth}` })
  })
  const lost = new Error('the lock is lost')
  const beforeSend = () => {
    if (posts > 0) throw lost
  }
  const { outcome } = await sendJob(paths, url, { beforeSend, terms: { concurrency: 8 } })
  expect(outcome.stop).toEqual({ why: 'error', error: lost })
  expect(outcome.account).toMatchObject({ done: posts, unsent: 100 - posts })
  expect(posts).toBeLessThanOrEqual(8)
})

test('a row that the server refuses is failed, and the others are done', async () => {
  const paths = await makeJob(people(10))
  const { url } = await startServer((response, { method, body }, nth) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    if (body.includes('Person 4'))
      return sendJson(response, 422, { detail: 'no', errors: [{ pointer: '/name', detail: 'bad' }] })
    sendJson(response, 201, { id: `con_${nth}` })
  })
  const { outcome } = await sendJob(paths, url)
  expect(outcome.account).toMatchObject({ done: 9, failed: 1 })
})

test('a request that was throttled, failed or got lost is sent again under the same key', async () => {
  const paths = await makeJob(people(15))
  const keys = new Map<string, Set<string>>()
  const { url } = await startServer((response, { method, body, headers }, nth) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    keys.set(body, (keys.get(body) ?? new Set()).add(String(headers['idempotency-key'])))
    if (nth === 3) return sendJson(response, 429, {}, { 'retry-after': '0.05' })
    if (nth % 7 === 1) return sendJson(response, 500, {})
    if (nth % 7 === 2) return void response.destroy()
    sendJson(response, 201, { id: `con_${nth}` })
  })
  const { outcome } = await sendJob(paths, url)
  expect(outcome.account.done).toBe(15)
  expect([...keys.values()].every((each) => each.size === 1)).toBe(true)
})

test('a refused API key stops the job at once, and the rest stays unsent', async () => {
  const paths = await makeJob(people(500))
  const { url, seen } = await startServer((response, { method }, nth) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    if (nth > 20) return sendJson(response, 401, { detail: 'revoked' })
    sendJson(response, 201, { id: `con_${nth}` })
  })
  const { outcome } = await sendJob(paths, url)
  expect(outcome.stop).toMatchObject({ why: 'refused', failure: { code: 'unauthorized' } })
  expect(seen.length).toBeLessThan(40)
  expect(outcome.account.done).toBe(19)
  expect(outcome.account.failed).toBe(0)
})

test('a job that is resumed with the key of another account stops before anything is sent', async () => {
  const paths = await makeJob(people(500))
  const { url, seen } = await startServer((response, { method, headers }, nth) => {
    const isStranger = headers.authorization === 'Bearer crm_key_of_a_stranger'
    if (method === 'GET')
      return sendJson(response, 200, { data: isStranger ? [] : [{ id: 'con_9' }], next_cursor: null })
    sendJson(response, nth > 20 ? 401 : 201, { id: `con_${nth}` })
  })
  await sendJob(paths, url)
  const sent = seen.length
  const stranger = sendJob(paths, url, { key: 'crm_key_of_a_stranger', services: { keyMark: '11111111' } })
  await expect(stranger).rejects.toThrow('none of the last records that it created exists')
  expect(seen.slice(sent).every(({ method }) => method === 'GET')).toBe(true)
})

test('a job is not sent to another account than its own', async () => {
  const paths = await makeJob(people(3))
  const { url, seen } = await startServer((response) => sendJson(response, 200, { data: [], next_cursor: null }))
  const elsewhere = sendJob(paths, url, { services: { account: `${ACCOUNT}/other` } })
  await expect(elsewhere).rejects.toThrow(`belongs to ${ACCOUNT}, and this command line uses ${ACCOUNT}/other`)
  expect(seen).toEqual([])
})

test('no response for longer than --max-outage stops the job, and it can be resumed', async () => {
  const paths = await makeJob(people(40))
  let isDown = true
  const { url } = await startServer((response, { method }, nth) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    if (isDown) return void response.destroy()
    sendJson(response, 201, { id: `con_${nth}` })
  })
  const { outcome } = await sendJob(paths, url, { terms: { ...TERMS, maxOutageMs: 1000 } })
  expect(outcome).toMatchObject({ stop: { why: 'outage' }, account: { done: 0, failed: 0 } })
  isDown = false
  expect((await sendJob(paths, url)).outcome.account.done).toBe(40)
})

test('rows that were leased and not sent when a job stops are unsent, and never in doubt', async () => {
  const paths = await makeJob(people(200))
  const { url } = await startServer((response, { method }) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    sendJson(response, 401, { detail: 'revoked' })
  })
  const { outcome } = await sendJob(paths, url, { terms: { concurrency: 1 } })
  expect(outcome.account).toMatchObject({ done: 0, failed: 0, in_doubt: 0, unsent: 200 })
})

test('a row that was refused is not sent again when the job is resumed', async () => {
  const paths = await makeJob(people(20))
  let isRevoked = true
  const { url, seen } = await startServer((response, { method, body }, nth) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    if (body.includes('Person 1"')) return sendJson(response, 422, { detail: 'no' })
    if (isRevoked && nth > 6) return sendJson(response, 401, {})
    sendJson(response, 201, { id: `con_${nth}` })
  })
  const first = await sendJob(paths, url, { terms: { concurrency: 1 } })
  expect(first.outcome.account).toMatchObject({ failed: 1 })
  isRevoked = false
  expect((await sendJob(paths, url)).outcome.account).toMatchObject({ done: 19, failed: 1, unsent: 0 })
  expect(seen.filter(({ method, body }) => method === 'POST' && body.includes('Person 1"'))).toHaveLength(1)
})

test('a job that another process sends is refused, and sent once', async () => {
  const paths = await makeJob(people(3))
  const { url, seen } = await startServer((response, { method }, nth) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    sendJson(response, 201, { id: `con_${nth}` })
  })
  const [one, other] = await Promise.allSettled([sendJob(paths, url), sendJob(paths, url)])
  expect([one.status, other.status].toSorted()).toEqual(['fulfilled', 'rejected'])
  const refused = one.status === 'rejected' ? one : other
  expect(refused).toMatchObject({ reason: { code: 'conflict', message: expect.stringContaining('is held by') } })
  expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(3)
})

test('a plan with a changed byte is not sent', async () => {
  const paths = await makeJob(people(3))
  const { url, seen } = await startServer((response) => sendJson(response, 201, { id: 'con_1' }))
  const file = await readFile(paths.db, 'latin1')
  await writeFile(paths.db, file.replace('Person 1', 'Person 7'), 'latin1')
  await expect(sendJob(paths, url)).rejects.toMatchObject({
    code: 'machine',
    message: expect.stringContaining(`${paths.id} is damaged`),
  })
  expect(seen.filter(({ method }) => method === 'POST')).toEqual([])
})

test('--max-errors as a percentage is a part of the rows', async () => {
  const { url } = await startServer((response, { method, body }, nth) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    if (/Person [1-4]"/.test(body)) return sendJson(response, 422, { detail: 'no' })
    sendJson(response, 201, { id: `con_${nth}` })
  })
  const half = { maxErrors: { part: 0.5 }, concurrency: 1 }
  const { outcome } = await sendJob(await makeJob(people(10)), url, { terms: half })
  expect(outcome).toMatchObject({ stop: undefined, account: { done: 6, failed: 4 } })
  const tenth = { maxErrors: { part: 0.1 }, concurrency: 1 }
  const stopped = await sendJob(await makeJob(people(10)), url, { terms: tenth })
  expect(stopped.outcome.stop).toBeDefined()
  expect(stopped.outcome.account.unsent).toBeGreaterThan(0)
})

test('an id that an earlier process got for another row is no proof that the record was made', async () => {
  const paths = await makeJob(people(2))
  let isRevoked = true
  const { url } = await startServer((response, { method, body }) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    if (isRevoked && body.includes('Person 1')) return sendJson(response, 401, { detail: 'revoked' })
    sendJson(response, 201, { id: 'con_1' })
  })
  const terms = { concurrency: 1 }
  expect((await sendJob(paths, url, { terms })).outcome.account).toMatchObject({ done: 1, unsent: 1 })
  isRevoked = false
  expect((await sendJob(paths, url, { terms })).outcome.account).toMatchObject({ done: 1, in_doubt: 1 })
})

test('results are in the journal before a row in doubt is waited for', async () => {
  const paths = await makeJob(people(2))
  const isRefused = Promise.withResolvers<void>()
  const { url } = await startServer(async (response, { method, body }) => {
    if (method === 'GET') return sendJson(response, 200, { data: [], next_cursor: null })
    if (body.includes('Person 1')) {
      isRefused.resolve()
      return sendJson(response, 500, {}, { 'retry-after': '2' })
    }
    // When the other row is no longer sent, because its key may have expired.
    await isRefused.promise
    await delay(2600)
    sendJson(response, 201, { id: 'con_0' })
  })
  let waited = ''
  const sleep = async () => {
    waited ||= withJob(paths, (job) => JSON.stringify(job.rows('SELECT text FROM result')))
  }
  await sendJob(paths, url, { services: { sleep }, terms: { windowMs: 122_000, lifeMs: 120_000 } })
  expect(waited).toContain('con_0')
})

test('a job that a process is sending again is not removed', async () => {
  const paths = await makeJob(people(1))
  const { id, jobsFolder, db } = paths
  const remove = () => removeJobs(jobsFolder, [id])
  await withJobLock(paths, () => expect(remove()).rejects.toMatchObject({ code: 'conflict' }))
  expect(existsSync(db)).toBe(true)
  await remove()
  expect(existsSync(db)).toBe(false)
})
