import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { crm } from '../e2e/crm.ts'
import { startService } from '../e2e/service.ts'
import { receiveEvents } from '../harness/event-receiver.ts'
import { tempFolder } from '../harness/home.ts'
import { all, ask } from '../harness/records.ts'
import type { Service } from '../harness/service.ts'

async function serveAndLock(args: readonly string[] = []) {
  const service = await startService(['--database', join(tempFolder(), 'crm.db'), '--rate-limit', 'none', ...args])
  const other = new DatabaseSync(service.database, { timeout: 5000 })
  onTestFinished(() => other.close())
  const create = (n: number) => {
    const headers = { 'idempotency-key': `k${n}` }
    return ask(service, { method: 'POST', path: '/v1/contacts', body: { n }, headers })
  }
  return { service, other, create }
}

/** How long each of so many reads took, of lists and of /healthz in turns, in milliseconds. */
async function timeReads(service: Service, count: number): Promise<readonly number[]> {
  const times: number[] = []
  for (let read = 0; read < count; read++) {
    const startMs = performance.now()
    const { status } = await ask(service, { path: read % 2 ? '/healthz' : '/v1/contacts' })
    times.push(performance.now() - startMs)
    expect(status).toBe(200)
    await setTimeout(10)
  }
  return times
}

for (const lock of ['BEGIN IMMEDIATE', 'BEGIN EXCLUSIVE']) {
  test(`under ${lock} of another process creates wait and reads do not; afterwards each create takes effect once`, async () => {
    const { service, other, create } = await serveAndLock()
    await create(0)
    other.exec(lock)
    const creates = Promise.all([create(1), create(2), create(2)])
    // Behind a create that waits for the lock, a read would take the five seconds of that wait.
    expect(Math.max(...(await timeReads(service, 40)))).toBeLessThan(2_500)
    expect(await all(service, '/v1/contacts')).toHaveLength(1)
    other.exec('ROLLBACK')
    expect((await creates).map(({ status }) => status)).toEqual([201, 201, 201])
    expect(await all(service, '/v1/contacts')).toMatchObject([{ n: 2 }, { n: 1 }, { n: 0 }])
  })
}

test('a lasting lock is 503 with Retry-After for creates, and exit 13 for crm serve keys', async () => {
  const { service, other, create } = await serveAndLock()
  other.exec('BEGIN IMMEDIATE')
  const startMs = performance.now()
  const making = crm(['serve', 'keys', 'create', '--database', service.database], service.env)
  const refused = await Promise.all([create(1), create(2)])
  const tookMs = performance.now() - startMs
  expect(tookMs).toBeGreaterThan(4900)
  expect(tookMs).toBeLessThan(6500)
  for (const { status, body, headers } of refused) {
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' })
    expect(headers.get('retry-after')).toMatch(/^\d+$/)
  }
  const { exit, stderr } = await making
  expect(exit).toBe(13)
  expect(stderr).toContain(`database ${service.database} is locked by another process`)
  other.exec('ROLLBACK')
  expect([(await create(1)).status, (await create(2)).status]).toEqual([201, 201])
  expect(await all(service, '/v1/contacts')).toMatchObject([{ n: 2 }, { n: 1 }])
})

test('a lock that outlasts a delivery and its claim does not stop the sender, and each event arrives', async () => {
  const receiver = await receiveEvents()
  const { service, other, create } = await serveAndLock()
  await ask(service, { method: 'POST', path: '/v1/webhooks', body: { url: receiver.url, events: ['*'] } })
  await create(1)
  await receiver.until((events) => events.length > 0)
  // The result of that try may not be kept yet. Longer than a turn waits, and than a claim lasts.
  other.exec('BEGIN IMMEDIATE')
  await setTimeout(6500)
  other.exec('ROLLBACK')
  await create(2)
  await receiver.until((events) => new Set(events.map(({ id }) => id)).size === 2)
  const query = other.prepare('SELECT state FROM deliveries')
  await expect.poll(() => query.all(), { timeout: 5000 }).toEqual([{ state: 'succeeded' }, { state: 'succeeded' }])
  expect(await service.stop()).toBe(0)
})
