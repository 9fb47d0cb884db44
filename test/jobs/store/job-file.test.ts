import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CrmError } from '../../../src/core/errors.ts'
import { failuresOf } from '../../../src/jobs/history/failures.ts'
import { Leases } from '../../../src/jobs/send/tasks.ts'
import { type JobPaths, jobPaths } from '../../../src/jobs/store/job-folder.ts'
import { JobWriter } from '../../../src/jobs/store/job-writer.ts'
import { Journal } from '../../../src/jobs/store/journal.ts'
import { headOf, openJob, withJob } from '../../../src/jobs/store/open-job.ts'
import { JobProgress } from '../../../src/jobs/store/progress.ts'
import { stepOf } from '../../harness/sample.ts'
import { makeJob } from '../job-fixture.ts'
import { addEntries } from '../left-lease.ts'

const OPEN = { t: 'open', time: 1, wall: 1, pid: 1, version: '0', key: '0', window: 9, life: 9 } as const

/** A job with each kind of result: done, failed, in doubt, given back, leased, and not leased. */
async function makeMixed(rows = 6): Promise<JobPaths> {
  const paths = await makeJob(Array.from({ length: rows }, (_, at) => ({ name: `Person ${at}` })))
  addEntries(paths, [
    OPEN,
    { t: 'lease', from: 0, to: 3, time: 2 },
    { t: 'done', time: 3, r: [[0, 201, 'con_0']] },
    { t: 'failed', op: 1, status: 422, code: 'invalid_values', field: 'name', reason: 'too long', request: 'r1' },
    { t: 'doubt', op: 2, why: 'no answer', taken: true },
    { t: 'lease', from: 3, to: 5, time: 4 },
    { t: 'back', ops: [[3, 4]] },
  ])
  return paths
}

/** All that the file says. */
function contentsOf(paths: JobPaths): string {
  return withJob(paths, (job) => {
    job.verify()
    const progress = JobProgress.of(job)
    const ends = Array.from({ length: job.count }, (_, op) => [
      progress.endOf(op),
      progress.isTaken(op),
      job.before(op),
      job.inputAt(op),
    ])
    const operations = Array.from(job.all(), ({ op, head, body }) => [op, head, String(body)])
    const { next, firstMs, lastMs, end, lastOpen, pausedBy } = progress
    const leases = [...progress.openLeases()]
    return JSON.stringify([
      job.head,
      job.end,
      ends,
      operations,
      leases,
      [...failuresOf(job, progress)],
      next,
      firstMs,
      lastMs,
      end,
      lastOpen,
      pausedBy,
      [...job.leftOut()],
    ])
  })
}

/** What a reader of a changed file gets: the same, or an error that names the job. */
function outcomeOf(paths: JobPaths, whole: string): 'same' | 'refused' | string {
  try {
    const contents = contentsOf(paths)
    return contents === whole ? 'same' : `another state: ${contents}`
  } catch (error) {
    if (error instanceof CrmError && error.code === 'machine') return 'refused'
    return `${error}`
  }
}

test('a file with any changed byte is refused, or says the same as before', { timeout: 300_000 }, async () => {
  const paths = await makeMixed()
  const [whole, contents] = [readFileSync(paths.db), contentsOf(paths)]
  const wrong: string[] = []
  let refused = 0
  for (let at = 0; at < whole.length; at += stepOf(7)) {
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
    writeFileSync(paths.db, changed)
    const outcome = outcomeOf(paths, contents)
    if (outcome === 'refused') refused += 1
    else if (outcome !== 'same') wrong.push(`byte ${at}: ${outcome}`)
  }
  expect(wrong).toEqual([])
  expect(refused).toBeGreaterThan(0)
})

test('a file that is cut off, or filled with zeros from some place on, is refused', async () => {
  const paths = await makeMixed()
  const [whole, contents] = [readFileSync(paths.db), contentsOf(paths)]
  const wrong: string[] = []
  for (let at = 0; at < whole.length; at += 512) {
    for (const rest of [0, whole.length - at, 512]) {
      const zeros = Buffer.alloc(rest)
      writeFileSync(
        paths.db,
        Buffer.concat([whole.subarray(0, at), zeros, rest === 512 ? whole.subarray(at + 512) : Buffer.alloc(0)]),
      )
      const outcome = outcomeOf(paths, contents)
      if (outcome !== 'refused' && outcome !== 'same') wrong.push(`${rest} zeros at ${at}: ${outcome}`)
    }
  }
  expect(wrong).toEqual([])
})

test.each(['lease', 'result', 'operation', 'event'])(
  'a row that is missing from %s is found, or leaves only doubt',
  async (table) => {
    const paths = await makeMixed()
    withJob(paths, (job) => job.execute(`DELETE FROM ${table} WHERE rowid = 1`))
    if (table === 'result') expect(withJob(paths, (job) => JobProgress.of(job).isUnanswered(1))).toBe(true)
    else if (table === 'event') expect(withJob(paths, (job) => JobProgress.of(job).next)).toBe(5)
    else expect(() => contentsOf(paths)).toThrow(/ is damaged: .* missing|operations/)
  },
)

test('rows of one line that were merged are all kept, before the own row of the operation', async () => {
  const { jobsFolder } = await makeJob([])
  const paths = jobPaths(jobsFolder, 'job_merged')
  const writer = new JobWriter(paths.db, { ...headOf(await makeJob([])), job: paths.id })
  const rows = ['a', 'b', 'own'].map((text) => ({ line: 1, bytes: Buffer.from(text) }))
  writer.add({ head: { do: 'create', path: '/v1/contacts', line: 1, digest: 'd', n: 0 }, body: '{}' }, undefined, rows)
  writer.end({ rows: 3, create: 1, update: 0, delete: 0, unchanged: 0, skipped: 2 })
  const kept = withJob(paths, (job) => job.inputOf(job.operation(0)).map(({ bytes }) => Buffer.from(bytes).toString()))
  expect(kept).toEqual(['a', 'b', 'own'])
})

test('nothing is sent before another process can see its lease', async () => {
  const paths = await makeJob([{ name: 'Ada' }, { name: 'Grace' }])
  const job = openJob(paths)
  const progress = JobProgress.of(job)
  const journal = new Journal(job, progress, () => 1)
  const leases = new Leases(job, { journal, progress }, { windowMs: 1, nowMs: () => 1 })
  const seen = () => withJob(paths, (other) => JobProgress.of(other).next)
  expect(leases.take(1)).toHaveLength(1)
  expect(seen()).toBe(1)
  expect(leases.take(1)).toHaveLength(1)
  expect(seen()).toBe(2)
  journal.close()
  job.close()
})

test('a lease is in the database when it is taken, also without the -wal file, and closing leaves one file', async () => {
  const paths = await makeJob([{ name: 'Ada' }, { name: 'Grace' }])
  const job = openJob(paths)
  const journal = new Journal(job, JobProgress.of(job), () => 1)
  const leases = new Leases(job, { journal, progress: JobProgress.of(job) }, { windowMs: 1, nowMs: () => 1 })
  for (const next of [1, 2]) {
    leases.take(1)
    const alone = { ...paths, db: `${paths.db}.alone-${next}` }
    copyFileSync(paths.db, alone.db)
    expect(withJob(alone, (other) => JobProgress.of(other).next)).toBe(next)
  }
  journal.append(OPEN)
  journal.close()
  expect(job.rows('PRAGMA journal_mode')).toEqual([['delete']])
  job.close()
})

test('a lease that another reader keeps from the database is not taken', async () => {
  const paths = await makeJob([{ name: 'Ada' }])
  const [job, reader] = [openJob(paths), openJob(paths)]
  const journal = new Journal(job, JobProgress.of(job), () => 1)
  journal.append(OPEN)
  journal.sync()
  reader.execute('BEGIN')
  reader.rows('SELECT count(*) FROM event')
  job.execute('PRAGMA busy_timeout = 10')
  const leases = new Leases(job, { journal, progress: JobProgress.of(job) }, { windowMs: 1, nowMs: () => 1 })
  const refused = expect.objectContaining({
    code: 'machine',
    message: expect.stringContaining('another process has it'),
  })
  expect(() => leases.take(1)).toThrow(refused)
  reader.execute('COMMIT')
  reader.close()
  job.close()
})

test('results are on the disk at the latest with the sixty-fourth, and others with flush or close', async () => {
  const paths = await makeJob(Array.from({ length: 100 }, (_, at) => ({ name: `${at}` })))
  addEntries(paths, [OPEN, { t: 'lease', from: 0, to: 100, time: 2 }])
  const job = openJob(paths)
  const journal = new Journal(job, JobProgress.of(job), () => 1)
  const done = () => withJob(paths, (other) => JobProgress.of(other).counts.done)
  for (let op = 0; op < 63; op++) journal.addResult([op, 201, `con_${op}`])
  expect(done()).toBe(0)
  journal.addResult([63, 201, 'con_63'])
  expect(done()).toBe(64)
  journal.addResult([64, 201, 'con_64'])
  journal.flush()
  expect(done()).toBe(65)
  journal.addResult([65, 201, 'con_65'])
  journal.close()
  expect(done()).toBe(66)
  job.close()
})

test('on a full disk a write is refused, and so is every later one; what was written stays', async () => {
  const paths = await makeJob(Array.from({ length: 5000 }, (_, at) => ({ name: `${at}` })))
  addEntries(paths, [OPEN, { t: 'lease', from: 0, to: 5000, time: 2 }])
  const job = openJob(paths)
  const journal = new Journal(job, JobProgress.of(job), () => 1)
  journal.addResult([0, 201, 'con_0'])
  journal.flush()
  const [[pages] = []] = job.rows('PRAGMA page_count')
  job.execute(`PRAGMA max_page_count = ${Number(pages) + 3}`)
  const fill = () => {
    for (let op = 1; op < 5000; op++) journal.addResult([op, 201, 'x'.repeat(200)])
  }
  expect(fill).toThrow(expect.objectContaining({ code: 'machine', message: expect.stringContaining('no space left') }))
  expect(() => journal.append(OPEN)).toThrow(expect.objectContaining({ code: 'machine' }))
  journal.close()
  job.close()
  const { done } = withJob(paths, (other) => JobProgress.of(other).counts)
  expect(done).toBeGreaterThan(0)
  expect(done % 64).toBe(1)
})
