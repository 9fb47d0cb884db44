import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { crm } from '../harness/crm.ts'
import { newDatabase } from '../harness/database.ts'
import { tableRows } from '../harness/database-rows.ts'
import { receiveEvents } from '../harness/event-receiver.ts'
import { emptyHome } from '../harness/home.ts'
import { ask, make } from '../harness/records.ts'
import { runs } from '../harness/sample.ts'
import { pastPrism, type Service, serve, startService } from '../harness/service.ts'

async function subscribe(service: Service, url: string): Promise<string> {
  const { body } = await ask(service, { method: 'POST', path: '/v1/webhooks', body: { url, events: ['*'] } })
  return String(body.secret)
}

/** What the log of deliveries says went wrong, once there is anything. */
async function firstError(database: string): Promise<string> {
  const find = async () => (await tableRows(database)).deliveries?.find(({ last_error: error }) => error !== null)
  await expect.poll(find, { timeout: 5000 }).toBeDefined()
  return String((await find())?.last_error)
}

test('crm serve sends signed events, again after the times of --retry-schedule, and prints nothing about it', async () => {
  const receiver = await receiveEvents((index) => (index < 2 ? 500 : 200))
  const service = await startService(['--retry-schedule', '0,100ms,1s'])
  const said = service.said()
  const secret = await subscribe(service, receiver.url)
  const [id = ''] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
  await receiver.until((events) => events.length === 3)
  for (const { body, headers } of receiver.events) {
    const event = new Webhook(secret).verify(body, headers as Record<string, string>)
    expect(event).toMatchObject({ type: 'contact.created', data: { id, name: 'Ada' } })
  }
  const [first = 0, second = 0, third = 0] = receiver.events.map(({ atMs }) => atMs)
  expect(second - first).toBeGreaterThanOrEqual(99)
  expect(third - second).toBeGreaterThanOrEqual(999)
  expect(new Set(receiver.events.map((event) => event.id)).size).toBe(1)
  expect(service.said()).toBe(said)
})

test('a service on a public address delivers to private addresses only with --allow-private-targets', async () => {
  const receiver = await receiveEvents()
  const database = await newDatabase()
  const open = ['--host', '0.0.0.0', '--insecure-http', '--database', database, '--retry-schedule', '0,1s,1s,1s']
  const service = await startService(open)
  const hook = { url: receiver.url, events: ['*'] }
  expect(await ask(service, { method: 'POST', path: '/v1/webhooks', body: hook })).toMatchObject({ status: 422 })
  await subscribe(service, receiver.url.replace('127.0.0.1', 'localhost'))
  await make(service, '/v1/contacts', [{ name: 'Ada' }])
  expect(await firstError(database)).toBe(
    'localhost is not a public address; this service delivers only to public addresses',
  )
  expect(receiver.events).toEqual([])
  await service.stop()
  await serve([...open, '--allow-private-targets'], emptyHome())
  await receiver.until((events) => events.length === 1)
})

test('two services on one database send each event once', async () => {
  const receiver = await receiveEvents()
  const database = await newDatabase()
  const one = await startService(['--database', database, '--rate-limit', 'none'])
  const { url } = await serve(['--database', database, '--rate-limit', 'none'], emptyHome())
  const other = { ...one, url }
  await subscribe(one, receiver.url)
  const count = runs(200, 40)
  const contacts = Array.from({ length: count / 4 }, (_, n) => ({ name: `n${n}` }))
  await Promise.all([one, other, one, other].map((service) => make(service, '/v1/contacts', contacts)))
  await receiver.until((events) => new Set(events.map(({ id }) => id)).size === count)
  expect(receiver.events).toHaveLength(count)
})

test('a delivery that was pending when a service stopped is sent after the next start', async () => {
  const receiver = await receiveEvents((index) => (index === 0 ? 503 : 200))
  const database = await newDatabase()
  const args = ['--database', database, '--retry-schedule', '0,1s']
  const service = await startService(args)
  await subscribe(service, receiver.url)
  const [id] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
  await ask(service, { method: 'PATCH', path: `/v1/contacts/${id}`, body: { name: 'Bea' } })
  await receiver.until((events) => events.length === 1)
  expect(await service.stop()).toBe(0)
  await serve(args, emptyHome())
  await receiver.until((events) => events.length === 3)
  expect(receiver.events.map(({ body }) => JSON.parse(body).data.name)).toEqual(['Ada', 'Ada', 'Bea'])
})

test('a subscriber that hangs does not delay the shutdown of the service', async () => {
  const hanging = createServer()
  hanging.listen(0, '127.0.0.1')
  await once(hanging, 'listening')
  const arrived = once(hanging, 'request')
  onTestFinished(() => {
    hanging.close()
    hanging.closeAllConnections()
  })
  const service = pastPrism(await startService())
  await subscribe(service, `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`)
  await make(service, '/v1/contacts', [{ name: 'Ada' }])
  await arrived
  const startMs = performance.now()
  const stopped = service.stop('SIGTERM')
  const refuses = () =>
    fetch(`${service.url}/healthz`).then(
      () => false,
      () => true,
    )
  await expect.poll(refuses, { timeout: 1500 }).toBe(true)
  expect(await stopped).toBe(0)
  expect(performance.now() - startMs).toBeLessThan(6000)
})

test.each(['', '5s', '0,soon', '0,-1s'])(
  '--retry-schedule %j is a usage error that says what is expected',
  async (text) => {
    const { exit, stderr } = await crm(['serve', '--retry-schedule', text], emptyHome())
    expect(exit).toBe(2)
    expect(stderr).toContain('such as 0,5s,5m')
  },
)
