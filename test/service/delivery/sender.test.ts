import { expect, onTestFinished, test } from 'vitest'
import { CrmError } from '../../../src/core/errors.ts'
import { startSender } from '../../../src/service/delivery/sender.ts'
import { runs } from '../../harness/sample.ts'
import { deliverForTest, startSenderForTest } from './deliver-for-test.ts'
import { nameIn, type Received, startReceiver } from './receiver.ts'

const names = (received: readonly Received[]) => received.map(nameIn)

test('a delivery is sent as soon as its change is committed', async () => {
  const receiver = await startReceiver()
  const { subscribe, make } = await deliverForTest()
  await subscribe(receiver.url)
  const startMs = performance.now()
  await make('Ada')
  await receiver.arrived(1)
  // A poll would come after a second.
  expect(performance.now() - startMs).toBeLessThan(500)
})

test('a failed delivery is retried by the schedule with the same id and a new timestamp', async () => {
  const receiver = await startReceiver((_request, index) => (index < 2 ? 503 : 200))
  const { subscribe, make } = await deliverForTest({ retryDelaysMs: [0, 100, 1100] })
  await subscribe(receiver.url)
  await make('Ada')
  const [first, second, third] = (await receiver.arrived(3)) as [Received, Received, Received]
  expect(second.atMs - first.atMs).toBeGreaterThanOrEqual(99)
  expect(third.atMs - second.atMs).toBeGreaterThanOrEqual(1099)
  expect(new Set([first, second, third].map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(Number(third.headers['webhook-timestamp'])).toBeGreaterThan(Number(first.headers['webhook-timestamp']))
  expect(third.body).toEqual(first.body)
})

test('after the last attempt a delivery fails, and the next of its record is sent', async () => {
  const receiver = await startReceiver((request) => (nameIn(request) === 'Ada' ? 500 : 200))
  const { subscribe, make, send } = await deliverForTest({ retryDelaysMs: [0, 10] })
  await subscribe(receiver.url)
  const id = await make('Ada')
  await send('PATCH', `/v1/contacts/${id}`, { name: 'Bea' })
  expect(names(await receiver.arrived(3))).toEqual(['Ada', 'Ada', 'Bea'])
})

test('a redirect is a failure and is not followed', async () => {
  const elsewhere = await startReceiver()
  const receiver = await startReceiver((_request, index, response) => {
    response.setHeader('location', elsewhere.url)
    return index === 0 ? 307 : 200
  })
  const { subscribe, make } = await deliverForTest()
  await subscribe(receiver.url)
  await make('Ada')
  await receiver.arrived(2)
  expect(elsewhere.received).toEqual([])
})

test('410 disables the subscription, and nothing more is sent to it', async () => {
  const receiver = await startReceiver(() => 410)
  const other = await startReceiver()
  const { subscribe, make, statusOf } = await deliverForTest()
  const { id } = await subscribe(receiver.url)
  await subscribe(other.url)
  await make('Ada')
  await expect.poll(async () => (await statusOf(id)).status).toBe('disabled')
  const record = await statusOf(id)
  expect(record).toMatchObject({ id, status: 'disabled', version: 2, url: receiver.url, events: ['*'] })
  expect(record.updated_at >= record.created_at).toBe(true)
  await make('Bea')
  await other.arrived(2)
  expect(receiver.received).toHaveLength(1)
})

test('changes of one record arrive in order, also while others fail', async () => {
  const failed = new Set<string>()
  const receiver = await startReceiver((request) => {
    const id = String(request.headers['webhook-id'])
    const fails = !failed.has(id) && failed.size < 30
    failed.add(id)
    return fails ? 500 : 200
  })
  const { subscribe, make, send } = await deliverForTest({ retryDelaysMs: [0, 5, 5] })
  await subscribe(receiver.url)
  const ids = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(make))
  for (let step = 1; step <= 20; step++) {
    await Promise.all(ids.map((id) => send('PATCH', `/v1/contacts/${id}`, { step })))
  }
  await receiver.arrived(5 * 21 + 30)
  for (const id of ids) {
    const versions = receiver.received
      .map(({ body }) => JSON.parse(body.toString()).data)
      .filter((contact) => contact.id === id)
      .map(({ version }) => version)
    expect(versions).toEqual(versions.toSorted((left, right) => left - right))
    expect(new Set(versions).size).toBe(21)
  }
})

test('an endpoint that never answers delays no other', async () => {
  const silent = await startReceiver(() => undefined)
  const receiver = await startReceiver()
  const { subscribe, make } = await deliverForTest()
  await subscribe(silent.url)
  await subscribe(receiver.url)
  const startMs = performance.now()
  const count = runs(200, 60)
  await Promise.all(Array.from({ length: count }, (_, n) => make(`n${n}`)))
  await receiver.arrived(count)
  expect(performance.now() - startMs).toBeLessThan(4000)
  expect(silent.received.length).toBeLessThanOrEqual(4)
})

test('a pause requested by an endpoint applies to all its events', async () => {
  const receiver = await startReceiver((_request, index, response) => {
    if (index > 0) return 200
    response.setHeader('retry-after', '1')
    return 429
  })
  const { subscribe, make } = await deliverForTest({ retryDelaysMs: [0, 1] })
  await subscribe(receiver.url)
  await make('Ada')
  await receiver.arrived(1)
  await make('Bea')
  const [first, ...others] = (await receiver.arrived(3)) as [Received, Received, Received]
  for (const other of others) expect(other.atMs - first.atMs).toBeGreaterThanOrEqual(999)
})

test('an attempt without an answer in time fails and is repeated', async () => {
  const receiver = await startReceiver((_request, index) => (index === 0 ? undefined : 200))
  const { subscribe, make } = await deliverForTest({ timeouts: { tryMs: 100, closeMs: 0 } })
  await subscribe(receiver.url)
  await make('Ada')
  const [first, second] = (await receiver.arrived(2)) as [Received, Received]
  expect(second.atMs - first.atMs).toBeGreaterThanOrEqual(100)
})

test('deliveries in progress when a sender closes go to the next one without counting as attempts', async () => {
  const receiver = await startReceiver((_request, index) => (index === 0 ? undefined : 200))
  const { subscribe, make, sender, store } = await deliverForTest({ retryDelaysMs: [0] })
  await subscribe(receiver.url)
  await make('Ada')
  await receiver.arrived(1)
  await sender.close()
  await make('Bea')
  startSenderForTest({ store, retryDelaysMs: [0] })
  expect(names(await receiver.arrived(3)).toSorted()).toEqual(['Ada', 'Ada', 'Bea'])
})

test('two senders on one database send each event once', async () => {
  const receiver = await startReceiver()
  const { subscribe, make, store } = await deliverForTest()
  startSenderForTest({ store })
  await subscribe(receiver.url)
  const count = runs(300, 60)
  await Promise.all(Array.from({ length: count }, (_, n) => make(`n${n}`)))
  await receiver.arrived(count)
  await make('last')
  await receiver.arrived(count + 1)
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(count + 1)
  expect(receiver.received).toHaveLength(count + 1)
})

test('the claim of a long attempt is renewed, so that no other sender repeats it', async () => {
  const receiver = await startReceiver(() => undefined)
  let aheadMs = 0
  const service = await deliverForTest({ now: () => Date.now() + aheadMs })
  await service.sender.close()
  const { deliveries, write } = service.store
  const renewed: string[] = []
  const watched: typeof deliveries = {
    ...deliveries,
    turn: (turn) => {
      renewed.push(...turn.renewals.map(({ webhookId }) => webhookId))
      return deliveries.turn(turn)
    },
  }
  startSenderForTest({ store: { deliveries: watched, write }, now: () => Date.now() + aheadMs })
  const { id } = await service.subscribe(receiver.url)
  await service.make('Ada')
  await receiver.arrived(1)
  // Of a claim of six seconds two are left.
  aheadMs = 4000
  await expect.poll(() => renewed, { timeout: 3000 }).toContain(id)
})

test('deliveries continue after a temporary failure of the database', async () => {
  const receiver = await startReceiver()
  const service = await deliverForTest()
  await service.sender.close()
  const { deliveries, write } = service.store
  let failures = 1
  const flaky: typeof deliveries = {
    ...deliveries,
    turn: async (turn) => {
      if (turn.results.length > 0 && failures-- > 0)
        throw new CrmError('machine', 'database is locked', { hint: 'wait' })
      return deliveries.turn(turn)
    },
  }
  startSenderForTest({ store: { deliveries: flaky, write } })
  await service.subscribe(receiver.url)
  const id = await service.make('Ada')
  await service.send('PATCH', `/v1/contacts/${id}`, { name: 'Bea' })
  expect(names(await receiver.arrived(2))).toEqual(['Ada', 'Bea'])
})

test('a bug stops the sender and is reported', async () => {
  const { store, sender: idle } = await deliverForTest()
  await idle.close()
  let isBroken = true
  const broken = {
    ...store.deliveries,
    turn: async (turn: Parameters<typeof store.deliveries.turn>[0]) => {
      if (isBroken) throw new TypeError('no such thing')
      return store.deliveries.turn(turn)
    },
  }
  const sender = startSender({
    store: { deliveries: broken, write: store.write },
    retryDelaysMs: undefined,
    allowsPrivateTargets: true,
    now: Date.now,
    version: '1',
  })
  onTestFinished(() => {
    isBroken = false
    return sender.close()
  })
  await expect(sender.failure).rejects.toThrow('no such thing')
})
