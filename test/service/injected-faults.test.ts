import { expect, test } from 'vitest'
import { FAULT_STATUSES } from '../../src/service/injected-faults.ts'
import { serveForTest } from './serve-for-test.ts'

const all = { isAfterwards: false, share: 1 }

test.each(FAULT_STATUSES)('every request can be answered with %i, without effect', async (status) => {
  const { send, store } = await serveForTest({
    faults: { latencyMs: 0, faults: [{ ...all, status }] },
  })
  const answer = await send('POST', '/v1/contacts', { name: 'Ada' })
  expect(answer).toMatchObject({ status, json: { status, code: 'injected_fault' } })
  expect((await store.page('contact', { limit: 1, olderThanId: undefined })).texts).toEqual([])
})

test('a request that fails with -after has taken effect', async () => {
  const faults = [{ status: 500, isAfterwards: true, share: 1 }] as const
  const { send, store } = await serveForTest({ faults: { latencyMs: 0, faults } })
  expect(await send('POST', '/v1/contacts', { name: 'Ada' })).toMatchObject({ status: 500 })
  expect((await store.page('contact', { limit: 2, olderThanId: undefined })).texts).toHaveLength(1)
})

test.each([true, false])('a connection is reset before or after the request took effect (%s)', async (isAfterwards) => {
  const faults = [{ status: undefined, isAfterwards, share: 1 }]
  const { send, store } = await serveForTest({ faults: { latencyMs: 0, faults } })
  const failure = await send('POST', '/v1/contacts', { name: 'Ada' }).catch((error) => error.cause.code)
  expect(failure).toBe('ECONNRESET')
  expect((await store.page('contact', { limit: 2, olderThanId: undefined })).texts).toHaveLength(isAfterwards ? 1 : 0)
})

test('the given share of requests fails, the same ones in every run', async () => {
  const run = async () => {
    const { send } = await serveForTest({
      faults: { latencyMs: 0, faults: [{ ...all, status: 500, share: 0.3 }] },
    })
    const statuses: number[] = []
    for (let n = 0; n < 100; n++) statuses.push((await send('GET', '/v1/contacts?limit=1')).status)
    return statuses
  }
  const [one, other] = [await run(), await run()]
  expect(one).toEqual(other)
  expect(one.filter((status) => status === 500).length).toBeGreaterThan(20)
  expect(one.filter((status) => status === 500).length).toBeLessThan(40)
})

test('the health check is not affected', async () => {
  const { send } = await serveForTest({ faults: { latencyMs: 0, faults: [{ ...all, status: 503 }] } })
  expect(await send('GET', '/healthz')).toMatchObject({ status: 200 })
})
