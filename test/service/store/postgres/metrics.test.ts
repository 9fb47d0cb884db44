import { expect, onTestFinished, test } from 'vitest'
import { startMetricsServer } from '../../../../src/service/metrics/metrics-server.ts'
import { connectTo, newPostgres, openTestStore } from '../../../harness/database.ts'
import { samples } from '../../metrics/scrape.ts'
import { serveForTest } from '../../serve-for-test.ts'

test('metrics have the pool, commits and deliveries of a PostgreSQL database', async () => {
  const metrics = await startMetricsServer({ host: '127.0.0.1', port: 0, now: Date.now })
  onTestFinished(() => metrics.close())
  const store = await openTestStore({ observer: metrics.observer })
  metrics.watch(store)
  const { send } = await serveForTest({ store, onAnswered: metrics.onAnswered })
  await send('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'] })
  await Promise.all(Array.from({ length: 20 }, (_, at) => send('POST', '/v1/contacts', { name: `Ada ${at}` })))
  const text = await (await fetch(metrics.url)).text()
  expect(samples(text, 'crm_store_commit_writes_sum')).toEqual({ crm_store_commit_writes_sum: 21 })
  expect(samples(text, 'crm_deliveries_open')).toEqual({ crm_deliveries_open: 20 })
  const pool = samples(text, 'crm_store_pool_connections')
  expect(Object.keys(pool)).toEqual([
    'crm_store_pool_connections{state="idle"}',
    'crm_store_pool_connections{state="used"}',
  ])
  expect(Object.values(pool).reduce((sum, each) => sum + each, 0)).toBeGreaterThan(0)
})

test('a scrape does not wait for deliveries that cannot be counted', async () => {
  const address = await newPostgres()
  const metrics = await startMetricsServer({ host: '127.0.0.1', port: 0, now: Date.now })
  onTestFinished(() => metrics.close())
  metrics.watch(await openTestStore({ address, observer: metrics.observer }))
  const client = await connectTo(address)
  await client.query('BEGIN; LOCK TABLE deliveries IN ACCESS EXCLUSIVE MODE')
  const startMs = performance.now()
  const text = await (await fetch(metrics.url)).text()
  expect(performance.now() - startMs).toBeLessThan(3000)
  expect(samples(text, 'crm_deliveries')).toEqual({})
  expect(text).toMatch(/# EOF\n$/)
})
