import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startSender } from '../../../src/service/delivery/sender.ts'
import { startMetricsServer } from '../../../src/service/metrics/metrics-server.ts'
import { samples, serveMeasured } from './scrape.ts'

const COUNT = 'crm_http_request_duration_seconds_count'

test('requests are counted by method, template of the path and status, and 429s once more', async () => {
  const { send, scrape } = await serveMeasured({ rateLimit: { requests: 4, windowMs: 60_000_000 } })
  await send('POST', '/v1/contacts', { name: 'Ada' })
  await send('GET', '/v1/contacts/con_none')
  await send('GET', '/v1/contacts/con_other')
  await send('GET', '/v1/nothing/here')
  await send('GET', '/v1/contacts')
  await send('GET', '/v1/contacts')
  const text = await scrape()
  expect(samples(text, COUNT)).toEqual({
    [`${COUNT}{method="POST",route="/v1/contacts",status="201"}`]: 1,
    [`${COUNT}{method="GET",route="/v1/contacts/:id",status="404"}`]: 2,
    [`${COUNT}{method="GET",route="none",status="404"}`]: 1,
    [`${COUNT}{method="GET",route="/v1/contacts",status="200"}`]: 1,
    [`${COUNT}{method="GET",route="/v1/contacts",status="429"}`]: 1,
  })
  expect(text).toContain('\ncrm_http_rate_limited_requests_total 1\n')
})

test('no label has a key, a secret, a path or an id, and a method that no route has is "other"', async () => {
  const { send, scrape, key, url } = await serveMeasured()
  const { json } = await send('POST', '/v1/contacts', { name: 'Ada Lovelace', email: 'ada@x.test' })
  await send('GET', `/v1/contacts/${json.id}?limit=Ada`)
  await send('GET', `/v1/${key.text}`)
  await fetch(`${url}/v1/contacts`, { method: 'PROPFIND' })
  const text = await scrape()
  for (const secret of [key.text, `${json.id}`, 'Ada', 'ada@x.test', 'PROPFIND']) {
    expect(text).not.toContain(secret)
  }
  expect(samples(text, COUNT)).toHaveProperty([`${COUNT}{method="other",route="none",status="405"}`])
})

test('a thousand unknown paths and ids make no more series than two', async () => {
  const { send, scrape } = await serveMeasured()
  for (let number = 0; number < 100; number++) {
    await Promise.all(
      Array.from({ length: 5 }, (_, each) =>
        Promise.all([send('GET', `/v1/x${number}-${each}`), send('GET', `/v1/deals/d${number}-${each}`)]),
      ),
    )
  }
  expect(Object.values(samples(await scrape(), COUNT))).toEqual([500, 500])
})

test('the writes of one commit, its time and the queue are measured', async () => {
  const { send, scrape } = await serveMeasured()
  await Promise.all(Array.from({ length: 20 }, (_, at) => send('POST', '/v1/contacts', { name: `Ada ${at}` })))
  const text = await scrape()
  expect(samples(text, 'crm_store_commit_writes_sum')).toEqual({ crm_store_commit_writes_sum: 20 })
  const { crm_store_commit_writes_count: commits = 0 } = samples(text, 'crm_store_commit_writes_count')
  expect(commits).toBeGreaterThan(0)
  expect(samples(text, 'crm_store_commit_duration_seconds_count')).toEqual({
    crm_store_commit_duration_seconds_count: commits,
  })
  expect(samples(text, 'crm_store_queued_writes')).toEqual({ crm_store_queued_writes: 0 })
})

test('deliveries that are open and failing are counted, with the age of the oldest', async () => {
  const refusing = createServer((_request, response) => void response.writeHead(500).end()).listen(0, '127.0.0.1')
  await new Promise((resolve) => refusing.once('listening', resolve))
  onTestFinished(() => void refusing.close())
  const { send, scrape, store } = await serveMeasured()
  const sender = startSender({
    store,
    retryDelaysMs: [0, 60_000],
    allowsPrivateTargets: true,
    now: Date.now,
    version: '1.2.3',
    log: undefined,
  })
  onTestFinished(() => sender.close())
  const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}/`
  await send('POST', '/v1/webhooks', { url, events: ['contact.created'] })
  await send('POST', '/v1/contacts', { name: 'Ada' })
  await vi.waitFor(async () => expect((await store.deliveries.backlog()).failing).toBe(1))
  const found = samples(await scrape(), 'crm_deliveries')
  expect(found).toMatchObject({ crm_deliveries_open: 1, crm_deliveries_failing: 1 })
  expect(found.crm_deliveries_oldest_seconds).toBeGreaterThan(0)
})

test('scrapes that follow each other count the deliveries once', async () => {
  const { store, metrics, scrape } = await serveMeasured()
  let counts = 0
  const backlog = () => {
    counts += 1
    return store.deliveries.backlog()
  }
  metrics.watch({ ...store, deliveries: { ...store.deliveries, backlog } })
  for (let scrapes = 0; scrapes < 5; scrapes++) await scrape()
  expect(counts).toBe(1)
})

test('a database that cannot be read is counted as a failure, and its deliveries are absent', async () => {
  const { store, scrape } = await serveMeasured()
  await store.close()
  const text = await scrape()
  expect(text).toContain('\ncrm_delivery_count_failures_total 1\n')
  expect(samples(text, 'crm_deliveries')).toEqual({})
  expect(text).toMatch(/# EOF\n$/)
})

test('the answer is OpenMetrics, and the older text for a client that accepts that alone', async () => {
  const { metrics } = await serveMeasured()
  const typeFor = async (accept: string) =>
    (await fetch(metrics.url, { headers: { accept } })).headers.get('content-type')
  const openMetrics = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
  expect(await typeFor('*/*')).toBe(openMetrics)
  expect(await typeFor('application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5')).toBe(openMetrics)
  expect(await typeFor('text/plain')).toBe('text/plain; version=0.0.4; charset=utf-8')
})

test('only GET /metrics is there', async () => {
  const { metrics } = await serveMeasured()
  expect((await fetch(new URL('/', metrics.url))).status).toBe(404)
  expect((await fetch(metrics.url, { method: 'POST' })).status).toBe(405)
})

test('a port in use is an error that names the flag', async () => {
  const { metrics } = await serveMeasured()
  const port = Number(new URL(metrics.url).port)
  await expect(startMetricsServer({ host: '127.0.0.1', port, now: Date.now })).rejects.toMatchObject({
    message: `cannot listen on 127.0.0.1:${port}: the port is in use`,
    details: { hint: 'crm serve --metrics-port 0', repeat: { flag: '--metrics-port', value: '0' } },
  })
})
