import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { serve, startService } from '../../../e2e/service.ts'
import { crmPrints } from '../../../harness/crm.ts'
import { newPostgres } from '../../../harness/database.ts'
import { receiveEvents } from '../../../harness/event-receiver.ts'
import { databaseEnv, emptyHome } from '../../../harness/home.ts'
import { all, ask, make } from '../../../harness/records.ts'
import type { Service } from '../../../harness/service.ts'

const CLOCK = new URL('../../../torture/clock-preload.ts', import.meta.url).href
const HOUR_MS = 3_600_000

function shifted(ms: number) {
  return emptyHome({ NODE_OPTIONS: `--import=${CLOCK}`, TORTURE_CLOCK_SHIFT_MS: String(ms) })
}

/** Processes on one database; the clocks of all but the first differ by these times. */
async function processes(
  shiftsMs: readonly number[],
  ...flags: readonly string[]
): Promise<readonly [Service, ...Service[]]> {
  const args = ['--database', await newPostgres(), ...flags]
  const first = await startService(args)
  const others = await Promise.all(shiftsMs.map((ms) => serve(args, ms === 0 ? emptyHome() : shifted(ms))))
  return [first, ...others.map((other) => ({ ...first, ...other, ownUrl: other.url }))]
}

async function subscribe(service: Service, url: string): Promise<void> {
  const answer = await ask(service, { method: 'POST', path: '/v1/webhooks', body: { url, events: ['contact.*'] } })
  expect(answer.status).toBe(201)
}

test('three processes let a key send its limit, and at most 5 % less', async () => {
  const [limit, windowMs] = [200, 10_000]
  const services = await processes([0, HOUR_MS], '--rate-limit', `${limit}/10s`)
  await setTimeout(windowMs - (Date.now() % windowMs) + 50)
  const statuses: number[] = []
  const remaining: number[] = []
  const startMs = Date.now()
  await Promise.all(
    services.flatMap((service) =>
      Array.from({ length: 5 }, async () => {
        for (let n = 0; n < 20; n++) {
          const { status, headers } = await ask(service, { path: '/v1/contacts?limit=1' })
          statuses.push(status)
          remaining.push(Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]))
        }
      }),
    ),
  )
  expect(Math.floor(Date.now() / windowMs)).toBe(Math.floor(startMs / windowMs))
  const passed = statuses.filter((status) => status === 200).length
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  expect(passed).toBeLessThanOrEqual(limit)
  expect(passed).toBeGreaterThanOrEqual(limit * 0.95)
  expect(Math.max(...remaining)).toBeLessThan(limit)
  expect(remaining.at(-1)).toBe(0)
})

test('a key that is revoked is refused by every process within a second', async () => {
  const services = await processes([0, 0])
  const [{ database, env }] = services
  const made = JSON.parse(await crmPrints(['serve', 'keys', 'create', '--database', database, '-o', 'json'], env))
  const statusOf = async ({ url }: Service) => (await ask({ url, key: made.key }, { path: '/v1/contacts' })).status
  expect(await Promise.all(services.map(statusOf))).toEqual([200, 200, 200])
  await crmPrints(['serve', 'keys', 'revoke', made.id, '--database', database], env)
  const startMs = performance.now()
  while ((await Promise.all(services.map(statusOf))).some((status) => status !== 401)) {
    expect(performance.now() - startMs).toBeLessThan(1000)
  }
})

/** A subscriber that never answers its first request, and answers later ones after a time. */
async function slowReceiver(waitMs: number) {
  const requests: IncomingMessage[] = []
  const server = createServer(async (request, response) => {
    requests.push(request)
    request.resume()
    if (requests.length === 1 && waitMs === Number.POSITIVE_INFINITY) return
    await setTimeout(requests.length === 1 ? waitMs : 0)
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests }
}

test('a delivery of a process that is killed comes from another one within 30 s', async () => {
  const receiver = await slowReceiver(Number.POSITIVE_INFINITY)
  const [first] = await processes([])
  await subscribe(first, receiver.url)
  await make(first, '/v1/contacts', [{ name: 'Ada' }])
  await expect.poll(() => receiver.requests.length).toBe(1)
  await serve(['--database', first.database], emptyHome())
  await first.stop('SIGKILL')
  const startMs = performance.now()
  await expect.poll(() => receiver.requests.length, { timeout: 40_000 }).toBe(2)
  expect(performance.now() - startMs).toBeLessThan(30_000)
  const [lost, repeated] = receiver.requests.map(({ headers }) => headers['webhook-id'])
  expect(repeated).toBe(lost)
})

test('a process whose clock is an hour ahead does not take a delivery that another one is sending', async () => {
  // Longer than a claim holds, unless it is renewed.
  const receiver = await slowReceiver(8000)
  const [first] = await processes([HOUR_MS, -HOUR_MS])
  await subscribe(first, receiver.url)
  await make(first, '/v1/contacts', [{ name: 'Ada' }])
  await expect.poll(() => receiver.requests.length).toBe(1)
  await setTimeout(9000)
  expect(receiver.requests).toHaveLength(1)
})

test('ids and times of processes whose clocks differ are in the order of the writes', async () => {
  const services = await processes([HOUR_MS, -HOUR_MS])
  const made: string[] = []
  for (let n = 0; n < 30; n++) {
    const service = services[n % services.length] ?? services[0]
    made.push(...(await make(service, '/v1/contacts', [{ name: `n${n}` }])))
  }
  const listed = await all(services[0], '/v1/contacts')
  expect(listed.map(({ id }) => id)).toEqual(made.toReversed())
  const times = listed.map(({ created_at: at }) => Date.parse(String(at)))
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  for (const time of times) expect(Math.abs(time - Date.now())).toBeLessThan(60_000)
})

test('events of one record arrive once and in order from several processes, whose clocks differ', async () => {
  const receiver = await receiveEvents()
  const services = await processes([HOUR_MS, -HOUR_MS], '--rate-limit', 'none')
  const [first] = services
  await subscribe(first, receiver.url)
  const ids = await make(
    first,
    '/v1/contacts',
    Array.from({ length: 6 }, (_, n) => ({ name: `n${n}` })),
  )
  await Promise.all(
    ids.map(async (id) => {
      for (let n = 0; n < 12; n++) {
        const service = services[n % services.length] ?? first
        await ask(service, { method: 'PATCH', path: `/v1/contacts/${id}`, body: { name: `${n}` } })
      }
    }),
  )
  const count = ids.length * 13
  await receiver.until((events) => new Set(events.map(({ id }) => id)).size === count)
  expect(receiver.events).toHaveLength(count)
  const received = receiver.events.map(({ body }) => JSON.parse(body).data)
  for (const id of ids) {
    const versions = received.filter((data) => data.id === id).map(({ version }) => version)
    expect(versions).toEqual(Array.from({ length: 13 }, (_, n) => n + 1))
  }
})

const PROCESSES = 4

/** Enough that the stores wait for one another in some of them. */
const ROUNDS = 5

test('stores that open an empty database at the same time make its tables once, and all of them open', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const address = await newPostgres('empty')
    const opened = await Promise.allSettled(
      Array.from({ length: PROCESSES }, () => openStore({ address, env: databaseEnv(), now: Date.now })),
    )
    const stores = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    const pipelines = await Promise.all(stores.map((store) => store.pipelines()))
    await Promise.all(stores.map((store) => store.close()))
    expect(opened.filter(({ status }) => status === 'rejected')).toEqual([])
    expect(pipelines.map(({ length }) => length)).toEqual(Array.from({ length: PROCESSES }, () => 1))
  }
})
