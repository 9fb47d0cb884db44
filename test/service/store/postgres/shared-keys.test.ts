import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createKey } from '../../../../src/service/keys.ts'
import { connectTo, newPostgres, openTestStore } from '../../../harness/database.ts'
import { serveForTest } from '../../serve-for-test.ts'
import { creation } from '../samples.ts'
import { holdWrites } from './held-writes.ts'

const KEYED = { 'idempotency-key': 'order-66' }

test('a key that another process writes with is 409, and its answer is replayed afterwards', async () => {
  const address = await newPostgres()
  const one = await serveForTest({ store: await openTestStore({ address }) })
  const other = await serveForTest({ store: await openTestStore({ address }) })
  const { isHeld, release } = await holdWrites(address)
  const held = one.send('POST', '/v1/contacts', { name: 'held' }, KEYED)
  await expect.poll(isHeld).toBe(true)
  const refused = await other.send('POST', '/v1/contacts', { name: 'held' }, KEYED)
  expect(refused).toMatchObject({ status: 409, json: { code: 'idempotency_in_progress' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await isHeld()).toBe(true)
  await release()
  const made = await held
  expect(made.status).toBe(201)
  const again = await other.send('POST', '/v1/contacts', { name: 'held' }, KEYED)
  expect(again).toMatchObject({ status: 201, text: made.text })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect((await one.send('GET', '/v1/contacts')).json.data).toHaveLength(1)
})

test('a repeated request is 409 in every process while the first one waits for a lock of the database', async () => {
  const address = await newPostgres()
  const one = await serveForTest({ store: await openTestStore({ address }) })
  const other = await serveForTest({ store: await openTestStore({ address }) })
  const locking = await connectTo(address)
  const waiters = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  const areWaiting = (count: number) => expect.poll(async () => (await locking.query(waiters)).rowCount).toBe(count)
  await locking.query('BEGIN; SELECT 1 FROM sequence FOR UPDATE')
  const create = ({ send }: typeof one, name: string, key: string) =>
    send('POST', '/v1/contacts', { name }, { 'idempotency-key': key })
  const first = create(one, 'Ada', 'ada')
  await areWaiting(1)
  const unrelated = create(other, 'Grace', 'grace')
  await areWaiting(2)
  // Behind `first`, which has the key, and behind `unrelated`. GraphQL has its errors in a 200.
  const mutation = { query: 'mutation { createContact(input: {name: "Ada"}) { contact { id } } }' }
  const refused = await Promise.all([
    create(one, 'Ada', 'ada'),
    create(other, 'Ada', 'ada'),
    other.send('POST', '/v1/graphql', mutation, { 'idempotency-key': 'ada' }),
  ])
  expect(refused.map(({ text }) => text)).toEqual(refused.map(() => expect.stringContaining('idempotency_in_progress')))
  expect(refused.map(({ status }) => status)).toEqual([409, 409, 200])
  // The others still wait.
  await areWaiting(2)
  await locking.query('ROLLBACK')
  expect((await Promise.all([first, unrelated])).map(({ status }) => status)).toEqual([201, 201])
  expect((await create(other, 'Ada', 'ada')).headers.get('idempotent-replayed')).toBe('true')
})

test('a write that is told that its key is in use has no effect, even where it is the first to write', async () => {
  const address = await newPostgres()
  const { send } = await serveForTest({ store: await openTestStore({ address }) })
  // Another process that has locked the key, and not yet the row of `sequence`.
  const other = await connectTo(address)
  const key = createHash('sha1').update('order-66').digest().readInt32BE(0)
  await other.query(`BEGIN; SELECT pg_advisory_xact_lock(${0x63726d4b}, ${key})`)
  expect(await send('POST', '/v1/contacts', { name: 'held' }, KEYED)).toMatchObject({ status: 409 })
  await other.query('ROLLBACK')
  expect((await send('GET', '/v1/contacts')).json.data).toEqual([])
  expect(await send('POST', '/v1/contacts', { name: 'other' }, KEYED)).toMatchObject({ status: 201 })
})

test('one key in several processes at once makes one record', async () => {
  const address = await newPostgres()
  const stores = await Promise.all([1, 2, 3].map(() => openTestStore({ address })))
  const write = creation('contact', {}, { idempotency: { key: 'k', fingerprint: 'f' } })
  for (let round = 0; round < 20; round++) {
    const keyed = { ...write, idempotency: { key: `k${round}`, fingerprint: 'f' } }
    const results = await Promise.all(stores.flatMap((store) => [store.write(keyed), store.write(keyed)]))
    const types = results.map(({ type }) => type)
    expect(types.filter((type) => type === 'done')).toHaveLength(1)
    expect(types.filter((type) => !['done', 'replayed', 'key_in_use'].includes(type))).toEqual([])
  }
  expect((await stores[0]?.stats())?.records.contact).toBe(20)
})

test.each(['with', 'without'])(
  'a key that one process revokes stops in another within a second, %s a notification',
  async (kind) => {
    const address = await newPostgres()
    const [one, other] = [await openTestStore({ address }), await openTestStore({ address })]
    const { key } = await createKey(one, { name: 'ci', scopes: ['read'], expiresAtMs: undefined }, Date.now())
    expect((await other.findKey(key.hash))?.revokedAtMs).toBeUndefined()
    if (kind === 'without') {
      await (await connectTo(address)).query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
      )
    }
    // Known again, for as long as it is kept.
    await other.findKey(key.hash)
    await one.endKey(key.id, { revokedAtMs: 1 })
    const startMs = performance.now()
    let tookMs: number | undefined
    while (tookMs === undefined && performance.now() - startMs < 5000) {
      await setTimeout(5)
      if ((await other.findKey(key.hash))?.revokedAtMs !== undefined) tookMs = performance.now() - startMs
    }
    expect(tookMs).toBeLessThan(kind === 'with' ? 400 : 1000)
  },
)
