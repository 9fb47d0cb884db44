import { expect, test } from 'vitest'
import { SYSTEM_TIMING } from '../../src/api/transport/timing.ts'
import { sendJson, startServer } from './answering-server.ts'
import { failureOf, NO_KEY, openClient } from './client-fixture.ts'
import { DIALECTS, startLimitedApp } from './limited-app.ts'

const CREATES = 500

/** `creates` of them, `concurrency` at a time. */
async function createMany(create: () => Promise<unknown>, creates: number, concurrency: number): Promise<void> {
  let left = creates
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left > 0) {
        left -= 1
        await create()
      }
    }),
  )
}

const RUNS = [...DIALECTS.map((dialect) => [dialect, 8] as const), ['draft-8', CREATES] as const]

// All at once, because most of it is waiting.
test('500 creates are hardly ever refused, whichever headers state the limit, 8 at a time or all at once', async () => {
  const apps = RUNS.map(async ([dialect, concurrency]) => {
    const { url, counts } = await startLimitedApp(dialect, 125, 1000)
    const { api, notices } = openClient(url, {}, SYSTEM_TIMING)
    await createMany(() => api.contacts.create({ name: 'Ada' }, NO_KEY), CREATES, concurrency)
    expect(notices.length, dialect).toBeLessThanOrEqual(4)
    // Three windows are waited for, each at most two seconds too long, because headers round up.
    const waitedMs = notices.reduce((sum, notice) => sum + Number.parseInt(notice, 10), 0)
    expect(waitedMs, dialect).toBeLessThanOrEqual(4 * 3000)
    return counts
  })
  for (const counts of await Promise.all(apps)) {
    expect(counts.created).toBe(CREATES)
    expect(counts.refused).toBeLessThanOrEqual(CREATES * 0.02)
  }
})

test('a limit that is used up for longer than the longest wait is left to the server', async () => {
  const { url, counts } = await startLimitedApp('draft-7', 1, 3_600_000)
  const { api, notices } = openClient(url, {}, SYSTEM_TIMING)
  await api.contacts.create({}, NO_KEY)
  const error = await failureOf(api.contacts.create({}, NO_KEY))
  expect(error.code).toBe('rate_limited')
  expect(counts).toMatchObject({ created: 1, refused: 1 })
  expect(notices).toEqual([])
})

test('an interruption ends a wait for a limit, and nothing was sent', async () => {
  const interruption = new AbortController()
  const { url, counts } = await startLimitedApp('draft-7', 1, 30_000)
  const onWait = () => void setImmediate(() => interruption.abort())
  const { api } = openClient(url, { signal: interruption.signal, onWait }, SYSTEM_TIMING)
  await api.contacts.create({}, NO_KEY)
  const error = await failureOf(api.contacts.create({}, NO_KEY))
  expect(error.code).toBe('interrupted')
  expect(error.details.idempotencyKey).toBeUndefined()
  expect(counts).toMatchObject({ created: 1, refused: 0 })
})

test('a server that states no limit is sent everything at once after its first answer', async () => {
  let most = 0
  let open = 0
  const { promise: all, resolve: go } = Promise.withResolvers<void>()
  const { url } = await startServer(async (response, _request, nth) => {
    open += 1
    most = Math.max(most, open)
    if (open === 20) go()
    if (nth > 4) await all
    open -= 1
    sendJson(response, 201, { id: 'con_1' })
  })
  const { api } = openClient(url)
  await Promise.all(Array.from({ length: 30 }, () => api.contacts.create({}, NO_KEY)))
  expect(most).toBeGreaterThanOrEqual(20)
})
