import { expect, test } from 'vitest'
import { canonicalJson, type JsonObject } from '../../../src/core/json.ts'
import { resolveInDoubt } from '../../../src/jobs/send/look-up.ts'
import type { SendingJob } from '../../../src/jobs/send/services.ts'
import type { Task } from '../../../src/jobs/send/tasks.ts'
import { Journal } from '../../../src/jobs/store/journal.ts'
import { openJob } from '../../../src/jobs/store/open-job.ts'
import { JobProgress } from '../../../src/jobs/store/progress.ts'
import { makeJob } from '../job-fixture.ts'

const LEASED_MS = Date.parse('2026-01-01T00:00:00Z')
const MADE = { created_at: '2026-01-01T00:00:01Z' }

function createTask(op: number, body: JsonObject, digest = canonicalJson(body)): Task {
  return {
    operation: {
      op,
      head: { do: 'create', path: '/v1/contacts', digest, n: 0 },
      body: Buffer.from(canonicalJson(body)),
    },
    ...{ gen: 0, leasedMs: LEASED_MS, expiresMs: LEASED_MS, windowEndMs: LEASED_MS },
    ...{ tries: 1, isInDoubt: true, isTaken: false, isUpsert: false, isResumed: true, lastSentMs: undefined },
  }
}

interface Settling {
  readonly later?: readonly JsonObject[]
  readonly lifeMs?: number
  readonly comparedBy?: readonly string[] | undefined
}

/** What settling comes to when these records are there, and `later` at the second look; the journal is a real one, the waits take no time. */
async function settled(
  tasks: readonly Task[],
  records: readonly JsonObject[],
  { later = records, lifeMs = 0, comparedBy }: Settling = {},
) {
  const head = comparedBy ? { compared: comparedBy } : {}
  const job = openJob(
    await makeJob(
      tasks.map(() => ({})),
      'contacts',
      '/v1/contacts',
      head,
    ),
  )
  const progress = JobProgress.of(job)
  const journal = new Journal(job, progress, () => LEASED_MS)
  const adopted: string[] = []
  const waits: string[] = []
  let looks = 0
  const keep = journal.addResult.bind(journal)
  journal.addResult = (result) => {
    adopted.push(String(result[2]))
    keep(result)
  }
  const services = {
    async *list() {
      yield { items: looks++ === 0 ? records : later }
    },
    ...{ offers: () => true, sleep: async () => {}, signal: new AbortController().signal },
    clocks: { steadyMs: () => 0 },
  }
  const sending = {
    ...{ plan: job, journal, progress, services, startedMs: 0, leases: { renew: () => {} } },
    ...{ terms: { lifeMs, keys: { isKept: true } }, clock: { nowMs: () => LEASED_MS } },
    hooks: {
      onPause: (pause: { why: string; untilMs: number }) => waits.push(`${pause.untilMs - LEASED_MS} ${pause.why}`),
    },
  } as unknown as SendingJob
  const unsettled = tasks.map((task) => ({ task, why: 'test', isAnswered: lifeMs === 0 }))
  const again = await resolveInDoubt(sending, unsettled, undefined)
  journal.close()
  return { again: again?.map(({ operation }) => operation.op), progress, adopted, waits }
}

test('a wait for requests of before names the setting that it lasts', async () => {
  const task = { ...createTask(0, { name: 'Ada' }), isResumed: false, lastSentMs: 0 }
  const { waits } = await settled([task], [], { lifeMs: 120_000 })
  expect(waits).toEqual(['120000 earlier requests may still take effect, up to 2m after they were sent'])
})

test('a record that is equal to a row is adopted, and nothing is sent for it', async () => {
  const { again, adopted } = await settled([createTask(0, { name: 'Ada' })], [{ id: 'con_1', name: 'Ada', ...MADE }])
  expect({ again, adopted }).toEqual({ again: [], adopted: ['con_1'] })
})

test('a record is equal to a row if it has the same times in another form', async () => {
  const rows = ['2026-03-01', '2026-03-01T00:00:00Z', '2026-03-01T01:00:00+01:00'].map((due, op) =>
    createTask(op, { due }),
  )
  const records = rows.map((_, at) => ({ id: `task_${at}`, due: '2026-03-01T00:00:00.000Z', ...MADE }))
  expect(await settled(rows, records)).toMatchObject({ again: [], adopted: ['task_0', 'task_1', 'task_2'] })
  const later = { id: 'task_1', due: '2026-03-01T00:00:00.001Z', ...MADE }
  expect(await settled([createTask(0, { due: '2026-03-01' })], [later])).toMatchObject({ again: [0] })
})

test('a record that was made since with the same member of --match is not made again, whatever else it has', async () => {
  const row = createTask(0, { serial: 'S1', note: 'a ' })
  const trimmed = { id: 'm_1', serial: 'S1', note: 'a', ...MADE }
  const doubted = await settled([row], [trimmed], { comparedBy: ['serial'] })
  expect({ again: doubted.again, doubt: doubted.progress.counts.doubt }).toEqual({ again: [], doubt: 1 })
  const other = { ...trimmed, serial: 'S2' }
  expect(await settled([row], [other], { comparedBy: ['serial'] })).toMatchObject({ again: [0] })
})

test('a record without a time is adopted where planning found no equal one by a member that the row has', async () => {
  const find = (comparedBy: readonly string[] | undefined, records: readonly JsonObject[]) =>
    settled([createTask(0, { name: 'Ada' })], records, { comparedBy })
  const first: JsonObject = { id: 'con_1', name: 'Ada' }
  const second: JsonObject = { id: 'con_2', name: 'Ada' }
  expect(await find(['name'], [first])).toMatchObject({ again: [], adopted: ['con_1'] })
  for (const [comparedBy, records] of [
    [undefined, [first]],
    [['email'], [first]],
    [['name'], [first, second]],
  ] as const)
    expect((await find(comparedBy, records)).progress.counts).toMatchObject({ done: 0, doubt: 1 })
})

test('of two equal rows, of which one was created, the other is sent', async () => {
  const twins = [createTask(0, { name: 'Ada' }), createTask(1, { name: 'Ada' })]
  const { again, adopted } = await settled(twins, [{ id: 'con_1', name: 'Ada', ...MADE }])
  expect({ again, adopted }).toEqual({ again: [1], adopted: ['con_1'] })
})

test('a record that existed before the row was sent does not belong to the row', async () => {
  const old = { id: 'con_1', name: 'Ada', created_at: '2025-12-31T23:00:00Z' }
  const { again } = await settled([createTask(0, { name: 'Ada' })], [old])
  expect(again).toEqual([0])
})

test.each([
  ['without a zone, behind UTC', '2025-12-31 19:00:01'],
  ['without a zone, ahead of UTC', '2026-01-01T09:00:01'],
  ['without seconds', '2025-12-31T23:59Z'],
  ['as a day', '2025-12-31'],
  ['in a form that crm does not read', '12/31/2025 19:00'],
])('a row whose record has a creation time %s is in doubt, and not sent again', async (_, created_at) => {
  const { again, progress } = await settled(
    [createTask(0, { name: 'Ada' })],
    [{ id: 'con_1', name: 'Ada', created_at }],
  )
  expect({ again, doubt: progress.counts.doubt }).toEqual({ again: [], doubt: 1 })
})

test('a record that a lagging list shows only at the second lookup is adopted, and not sent again', async () => {
  const found = await settled([createTask(0, { name: 'Ada' })], [], { later: [{ id: 'con_1', name: 'Ada', ...MADE }] })
  expect(found).toMatchObject({ again: [], adopted: ['con_1'] })
})

test('a row that is absent in both lookups is sent again', async () => {
  const { again } = await settled([createTask(0, { name: 'Ada' })], [])
  expect(again).toEqual([0])
})

test('a row with an unclear 2xx is adopted if its record exists, otherwise in doubt, and never sent again', async () => {
  const taken = () => ({ ...createTask(0, { name: 'Ada' }), isTaken: true })
  const absent = await settled([taken()], [])
  expect(absent).toMatchObject({ again: [], progress: { counts: { doubt: 1 } } })
  expect((await settled([taken()], [{ id: 'con_1', name: 'Ada', ...MADE }])).adopted).toEqual(['con_1'])
})

test('more records than rows leave them in doubt, and so does a record without a date', async () => {
  const both = [1, 2].map((n) => ({ id: `con_${n}`, name: 'Ada', ...MADE }))
  expect((await settled([createTask(0, { name: 'Ada' })], both)).progress.counts.doubt).toBe(1)
  expect((await settled([createTask(0, { name: 'Ada' })], [{ id: 'con_1', name: 'Ada' }])).progress.counts.doubt).toBe(
    1,
  )
})

test('if the list does not show a member that was sent, a record equal in the others is never proof', async () => {
  const task = () => createTask(0, { name: 'Ada', email: 'ada@x.test' })
  const others = [{ id: 'con_1', name: 'Bob' }]
  expect((await settled([task()], [{ id: 'con_2', name: 'Ada', ...MADE }, ...others])).progress.counts.doubt).toBe(1)
  expect((await settled([task()], [{ id: 'con_2', name: 'ADA' }, ...others])).progress.counts.doubt).toBe(1)
  expect((await settled([task()], others)).again).toEqual([0])
  expect((await settled([task()], [{ id: 'con_2', full_name: 'Ada' }])).progress.counts.doubt).toBe(1)
})

test('a member that the server has for no record at all does not hide that the row was never made', async () => {
  const task = createTask(0, { name: 'Ada', email: 'ada@x.test', vip: true })
  const old = { id: 'con_1', name: 'Ada', email: 'old@x.test', created_at: '2025-12-31T23:00:00Z' }
  expect((await settled([task], [old])).again).toEqual([0])
})

test('a record with the same email and other values leaves the row in doubt, because the server may have trimmed it', async () => {
  const task = createTask(0, { name: 'Ada ', email: 'ADA@x.test' })
  const { progress, again } = await settled([task], [{ id: 'con_1', name: 'Ada', email: 'ada@x.test', ...MADE }])
  expect(again).toEqual([])
  expect(progress.counts.doubt).toBe(1)
})
