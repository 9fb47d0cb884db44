import { expect, test } from 'vitest'
import { serveForTest } from '../service/serve-for-test.ts'
import { makeJob, sendJob, TERMS } from './job-fixture.ts'
import { leaveLease } from './left-lease.ts'

const ADA = { name: 'Ada', email: 'ada@example.test' }

test('of two equal rows, one adopts the only existing record, and the other is created', async () => {
  const service = await serveForTest()
  const paths = await makeJob([ADA, ADA])
  const leasedMs = Date.now() - TERMS.windowMs - 60_000
  await leaveLease(paths, { ...TERMS, leasedMs, keyMark: '00000000' })
  await service.send('POST', '/v1/contacts', ADA)
  const { outcome } = await sendJob(paths, new URL(service.url), { key: service.key.text })
  expect(outcome.account).toMatchObject({ rows: 2, done: 2 })
  const { json } = await service.send('GET', '/v1/contacts')
  expect(json.data).toHaveLength(2)
})
