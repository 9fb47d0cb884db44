import { truncateSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { CrmError } from '../../src/core/errors.ts'
import type { JobPaths } from '../../src/jobs/journal/job-folder.ts'
import { readJournal } from '../../src/jobs/journal/journal.ts'
import { JobProgress } from '../../src/jobs/journal/progress.ts'
import { stepOf } from '../harness/sample.ts'
import { serveForTest, type TestService } from '../service/serve-for-test.ts'
import { makeJob, sendJob } from './job-fixture.ts'

const ROWS = 120
const TAIL_BYTES = 4096
/** Each resume sends what was cut off, in a fifth of a second or so. */
const RESUMED_EVERY_BYTES = 503
const CHANGED_EVERY_BYTES = 11

const people = Array.from({ length: ROWS }, (_, at) => ({ name: `Person ${at}`, email: `p${at}@example.test` }))

interface Finished {
  readonly service: TestService
  readonly paths: JobPaths
  readonly journal: Buffer
}

/** A job that is done, and the journal that it left behind. */
async function finishJob(): Promise<Finished> {
  const service = await serveForTest()
  const paths = await makeJob(people)
  const { outcome } = await resume({ service, paths })
  expect(outcome.account.done).toBe(ROWS)
  const journal = await readFile(paths.journal)
  expect(journal.length).toBeGreaterThan(TAIL_BYTES)
  return { service, paths, journal }
}

function resume({ service, paths }: Pick<Finished, 'service' | 'paths'>) {
  return sendJob(paths, new URL(service.url), { key: service.key.text })
}

function read(path: string): JobProgress {
  const progress = new JobProgress(ROWS)
  readJournal(path, (entry) => progress.take(entry))
  return progress
}

/** What a journal says that was not so, of a job in which everything was done; undefined when there is nothing. */
function faultOf(progress: JobProgress): string | undefined {
  const leased = people.slice(0, progress.next).map((_, op) => progress.endOf(op))
  const others = people.slice(progress.next).map((_, at) => progress.endOf(progress.next + at))
  if (leased.some((end) => end !== 'done' && end !== 'none')) return 'an end that no operation had'
  if (others.some((end) => end !== 'none')) return 'an end of what was not leased'
  return progress.end === undefined ? undefined : 'the end of the job'
}

test('a journal truncated at any byte of its last 4 KB contains only true entries', { timeout: 60_000 }, async () => {
  const { paths, journal } = await finishJob()
  const faults: string[] = []
  for (let length = journal.length - 1; length >= journal.length - TAIL_BYTES; length -= stepOf(17)) {
    truncateSync(paths.journal, length)
    const fault = faultOf(read(paths.journal))
    if (fault) faults.push(`cut off at byte ${length}: ${fault}`)
  }
  expect(faults).toEqual([])
})

test('a job that is resumed after such a truncation is done, and no row exists twice', {
  timeout: 60_000,
}, async () => {
  const { service, paths, journal } = await finishJob()
  for (let length = journal.length - TAIL_BYTES; length < journal.length; length += stepOf(4) * RESUMED_EVERY_BYTES) {
    writeFileSync(paths.journal, journal.subarray(0, length))
    const { outcome } = await resume({ service, paths })
    expect(outcome.account).toMatchObject({ rows: ROWS, done: ROWS })
  }
  expect(await emailsOn(service)).toEqual(people.map(({ email }) => email).sort())
})

test('a changed byte is refused if truncation would remove a lease', async () => {
  const { paths, journal } = await finishJob()
  const { next } = read(paths.journal)
  const unnoticed: number[] = []
  for (let at = 0; at < journal.length; at += stepOf(4) * CHANGED_EVERY_BYTES) {
    const changed = Buffer.from(journal)
    changed[at] = (changed[at] ?? 0) ^ 1
    writeFileSync(paths.journal, changed)
    try {
      if (read(paths.journal).next !== next) unnoticed.push(at)
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      expect(error.message).toContain('is damaged at byte')
    }
  }
  expect(unnoticed).toEqual([])
})

async function emailsOn(service: TestService): Promise<unknown[]> {
  const { json } = await service.send('GET', '/v1/contacts?limit=500')
  return (json.data as { email: unknown }[]).map(({ email }) => email).sort()
}
