import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SYSTEM_TIMING } from '../../src/api/transport/timing.ts'
import { idempotencyKey } from '../../src/jobs/plan/digest.ts'
import type { PlanOperation } from '../../src/jobs/plan/plan-format.ts'
import { serveForTest, type TestService } from '../service/serve-for-test.ts'
import { ACCOUNT, makeJob, sendJob, TERMS } from './job-fixture.ts'
import { leaveLease } from './left-lease.ts'

const LIFE_MS = 6000
/** After both looks at the list, and within the life of a request. */
const LATE_MS = 4500

async function deliverLate(service: TestService, { head, body }: PlanOperation): Promise<void> {
  await setTimeout(LATE_MS)
  const key = idempotencyKey({ account: ACCOUNT, run: 'run', digest: head.digest, n: head.n, gen: 0 })
  const { status } = await service.send('POST', head.path, body?.toString(), { 'idempotency-key': key })
  expect([200, 201]).toContain(status)
}

async function recordsAfter(service: TestService): Promise<number> {
  const { json } = await service.send('GET', '/v1/contacts')
  return (json.data as unknown[]).length
}

test.each([
  { what: 'the API key is another one', leftMs: 0, windowMs: TERMS.windowMs, keyMark: '00000002' },
  { what: 'the window is shorter than it was', leftMs: -60_000, windowMs: 24 * 3_600_000, keyMark: '00000001' },
])(
  'where $what, nothing is sent anew while a request of the process before may still arrive',
  async ({ leftMs, windowMs, keyMark }) => {
    const service = await serveForTest()
    const paths = await makeJob([{ name: 'Ada' }])
    const leasedMs = Date.now() - (leftMs < 0 ? TERMS.windowMs - leftMs : 1000)
    const operation = leaveLease(paths, { leasedMs, windowMs, lifeMs: LIFE_MS, keyMark: '00000001' })
    const late = deliverLate(service, operation)
    const { outcome } = await sendJob(paths, new URL(service.url), {
      key: service.key.text,
      terms: { lifeMs: LIFE_MS },
      // The late request comes in real time.
      services: { keyMark, sleep: SYSTEM_TIMING.sleep },
    })
    await late
    expect(outcome.account).toMatchObject({ rows: 1, done: 1 })
    expect(await recordsAfter(service)).toBe(1)
  },
)
