import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startSender } from '../../../../src/service/delivery/sender.ts'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { receiveEvents } from '../../../harness/event-receiver.ts'
import { freePort } from '../../../harness/free-port.ts'
import { type ServerSettings, startCluster, startStandby } from '../../../harness/postgres/cluster.ts'
import { administer, createDatabase, prepareServer } from '../../../harness/postgres/databases.ts'
import { startCutProxy } from '../../../torture/postgres/cut-proxy.ts'
import { type Answered, serveForTest } from '../../serve-for-test.ts'
import { creation } from '../samples.ts'

const NOBODY = { authorization: '' }

/** A service behind a proxy before a PostgreSQL of its own. */
async function serveBehindProxy(settings: ServerSettings = {}) {
  const cluster = await startCluster(settings)
  onTestFinished(cluster.remove)
  const address = new URL(await createDatabase(await prepareServer(cluster), 'prepared'))
  let target: { readonly host: string; readonly port: number } = cluster
  const proxy = await startCutProxy(() => target)
  onTestFinished(proxy.close)
  address.port = `${proxy.port}`
  const store = await openStore({ address: address.href, now: Date.now })
  const { send } = await serveForTest({ store })
  let made = 0
  return {
    ...{ cluster, proxy, store, send, database: address.pathname.slice(1) },
    reach: (to: typeof target): void => {
      target = to
    },
    create: (name: string, key = `key ${++made}`) => send('POST', '/v1/contacts', { name }, { 'idempotency-key': key }),
    names: async () => {
      const { json } = await send('GET', '/v1/contacts?limit=100')
      return (json.data as { name: string }[]).map(({ name }) => name).toReversed()
    },
    isReady: async () => (await send('GET', '/readyz', undefined, NOBODY)).status,
  }
}

/** 503 with Retry-After, and nothing of SQL or of the address in it. */
function expectUnavailable({ status, json, headers, text }: Answered): void {
  expect({ status, code: json.code }).toEqual({ status: 503, code: 'unavailable' })
  expect(headers.get('retry-after')).toMatch(/^\d+$/)
  expect(text).not.toMatch(/select|insert|update|postgres|127\.0\.0\.1|relation|column/i)
}

test('a database that is down is 503 for writes, reads and /readyz; it is used again when it is back', async () => {
  const { cluster, create, names, isReady, send } = await serveBehindProxy()
  expect((await create('Ada')).status).toBe(201)
  await cluster.kill()
  const [write, read] = await Promise.all([create('Grace', 'once'), send('GET', '/v1/contacts')])
  for (const answer of [write, read]) expectUnavailable(answer)
  const mutation = { query: 'mutation { createContact(input: {name: "Alan"}) { contact { id } } }' }
  const graphql = await send('POST', '/v1/graphql', mutation)
  expect(graphql.text).toContain('"unavailable"')
  expect(graphql.text).not.toContain('"data":{"createContact":{')
  expect(await isReady()).toBe(503)
  expect((await send('GET', '/healthz', undefined, NOBODY)).status).toBe(200)
  await cluster.start()
  await expect.poll(isReady, { timeout: 5000 }).toBe(200)
  expect((await create('Grace', 'once')).status).toBe(201)
  expect(await names()).toEqual(['Ada', 'Grace'])
})

test('a write that waits while the database restarts is done once', async () => {
  const { cluster, store, names } = await serveBehindProxy()
  await cluster.stop()
  const write = store.write(creation('contact', { name: 'Ada' }))
  const [result] = await Promise.all([write, setTimeout(500).then(() => cluster.start())])
  expect(result.type).toBe('done')
  expect(await names()).toEqual(['Ada'])
})

test('a writer that stops in its transaction is ended by the database, and the others go on', {
  timeout: 60_000,
}, async () => {
  const { cluster, proxy, create, names } = await serveBehindProxy()
  const held = proxy.loseNextCommit('held')
  const stuck = create('Ada', 'stuck')
  await held
  const address = new URL(`postgres://${cluster.user}@${cluster.host}:${cluster.port}`)
  address.pathname = (await databaseOf(cluster)) ?? ''
  address.password = cluster.password
  const other = await openStore({ address: address.href, now: Date.now })
  onTestFinished(() => other.close())
  const { send } = await serveForTest({ store: other })
  const create2 = () => send('POST', '/v1/contacts', { name: 'Grace' }, { 'idempotency-key': 'other' })
  expectUnavailable(await create2())
  await expect.poll(async () => (await create2()).status, { timeout: 30_000 }).toBe(201)
  expectUnavailable(await stuck)
  expect((await create('Ada', 'stuck')).status).toBe(201)
  expect(await names()).toEqual(['Grace', 'Ada'])
})

async function databaseOf(cluster: Parameters<typeof administer>[0]): Promise<string | undefined> {
  const { rows } = await administer(cluster, `SELECT datname FROM pg_database WHERE datname LIKE 't%\\_%'`)
  return rows[0]?.datname as string | undefined
}

test('when PostgreSQL has no connection left it is 503, and works again when some are free', async () => {
  const { cluster, proxy, create, names, send, isReady, reach } = await serveBehindProxy({
    max_connections: 12,
    superuser_reserved_connections: 3,
  })
  expect((await create('Ada')).status).toBe(201)
  await administer(cluster, 'ALTER ROLE crm CONNECTION LIMIT 0')
  proxy.cutAll()
  expectUnavailable(await create('Grace', 'once'))
  expectUnavailable(await send('GET', '/v1/contacts'))
  expect(await isReady()).toBe(503)
  await administer(cluster, 'ALTER ROLE crm CONNECTION LIMIT -1')
  reach(cluster)
  expect((await create('Grace', 'once')).status).toBe(201)
  expect(await names()).toEqual(['Ada', 'Grace'])
})

test('more requests than connections, to a slow database, are all answered', async () => {
  const { proxy, create, names, send } = await serveBehindProxy()
  proxy.delay(100)
  const writes = Array.from({ length: 40 }, (_, at) => create(`n${at}`))
  const reads = Array.from({ length: 100 }, () => send('GET', '/v1/contacts'))
  const answers = await Promise.all([...writes, ...reads])
  expect([...new Set(answers.map(({ status }) => status))].toSorted()).toEqual([200, 201])
  proxy.delay(0)
  expect(await names()).toHaveLength(40)
})

test('statements that the database ends for their time are 503, and nothing of them is kept', async () => {
  const { cluster, proxy, create, names, send, database } = await serveBehindProxy()
  expect((await create('Ada')).status).toBe(201)
  await administer(cluster, `ALTER ROLE crm IN DATABASE ${database} SET statement_timeout = '300ms'`)
  proxy.cutAll()
  const locked = administer(cluster, 'BEGIN; LOCK TABLE contacts; SELECT pg_sleep(2)', database)
  await setTimeout(300)
  expectUnavailable(await create('Grace', 'once'))
  expectUnavailable(await send('GET', '/v1/contacts'))
  await locked
  expect((await create('Grace', 'once')).status).toBe(201)
  expect(await names()).toEqual(['Ada', 'Grace'])
})

test('a standby is 503 for writes and answers reads; promoted, it takes writes', async () => {
  const { cluster, create, names, send, isReady, reach, proxy, store } = await serveBehindProxy()
  const receiver = await receiveEvents()
  const retryDelaysMs = [0]
  const sender = startSender({ store, retryDelaysMs, allowsPrivateTargets: true, now: Date.now, version: '1.2.3' })
  const bug = sender.failure.then(String, String)
  await send('POST', '/v1/webhooks', { url: receiver.url, events: ['*'] })
  expect((await create('Ada')).status).toBe(201)
  await receiver.until((events) => events.length === 1)
  const standby = await startStandby(cluster)
  onTestFinished(standby.remove)
  onTestFinished(() => sender.close())
  await cluster.kill()
  reach(standby)
  proxy.cutAll()
  expectUnavailable(await create('Grace', 'once'))
  expect((await send('GET', '/v1/contacts')).status).toBe(200)
  expect(await isReady()).toBe(503)
  // Some turns of the sender.
  expect(await Promise.race([bug, setTimeout(2500)])).toBeUndefined()
  await administer(standby, 'SELECT pg_promote()')
  await expect.poll(isReady, { timeout: 5000 }).toBe(200)
  expect((await create('Grace', 'once')).status).toBe(201)
  expect(await names()).toEqual(['Ada', 'Grace'])
  await receiver.until((events) => new Set(events.map(({ id }) => id)).size === 2)
})

test('a database that is down at the start is named, with what to check', async () => {
  const address = `postgres://crm@127.0.0.1:${await freePort()}/crm`
  await expect(openStore({ address, now: Date.now })).rejects.toMatchObject({
    code: 'machine',
    message: `database ${address} does not answer`,
    details: { hint: 'check that PostgreSQL runs and is reachable, then try again', isRetryable: true },
  })
})
