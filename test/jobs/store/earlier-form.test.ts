import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { CrmError } from '../../../src/core/errors.ts'
import { withLock } from '../../../src/files/lock.ts'
import { allJobs } from '../../../src/jobs/history/find-jobs.ts'
import { resultsOf } from '../../../src/jobs/history/job-results.ts'
import { PlanWriter } from '../../../src/jobs/plan/plan-file.ts'
import type { PlanHead } from '../../../src/jobs/plan/plan-format.ts'
import { type JobPaths, jobPaths, removeJob } from '../../../src/jobs/store/job-folder.ts'
import { convertEarlier, headOf, withJob } from '../../../src/jobs/store/open-job.ts'
import { JobProgress } from '../../../src/jobs/store/progress.ts'
import { tempFolder } from '../../files/temp-folder.ts'
import { stepOf } from '../../harness/sample.ts'

const ROWS = ['Ada', 'Grace', 'Edsger', 'Barbara']

const ENTRIES: readonly object[] = [
  { t: 'open', time: 1000, wall: 1000, pid: 1, version: '0', plan: '', key: '0000000a', window: 60_000, life: 9 },
  { t: 'lease', from: 0, to: 3, at: 0, time: 1001 },
  { t: 'done', time: 1002, r: [[0, 201, 'con_0', 'r']] },
  { t: 'failed', op: 1, status: 422, code: 'invalid_values', field: 'name', reason: 'too long', request: null },
  { t: 'again', op: 2, at: 0, gen: 2, time: 1003, why: 'absent twice' },
  { t: 'lease', from: 3, to: 4, at: 0, time: 1004 },
]

/** As earlier versions wrote it; each line says how many lines before it were synced. */
function journalOf(entries: readonly object[]): string {
  const lines = entries.map((entry, s) => {
    const json = JSON.stringify({ s, y: s, ...entry })
    return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`
  })
  return lines.join('')
}

/** With these bytes as its second row. */
async function makeEarlier(
  encoding = 'utf-8',
  second: Buffer = Buffer.from('Grace'),
): Promise<JobPaths & { readonly journal: string }> {
  const jobsFolder = join(await tempFolder(), 'jobs')
  const paths = jobPaths(jobsFolder, 'job_0000000000a')
  mkdirSync(paths.earlier, { recursive: true, mode: 0o700 })
  const verdict = { format: 'csv', encoding, hasBom: false, head: { offset: 0, length: 4 }, columns: [] }
  const head = {
    ...{ crm_plan: 1, job: paths.id, kind: 'import', noun: 'contacts', run: 'run', account: 'http://crm.test' },
    ...{ command: [], input: { name: 'a.csv', sha256: 'x', size: 1, verdict }, made_at: 1, version: '0' },
  } as unknown as PlanHead
  const writer = new PlanWriter(join(paths.earlier, 'plan.ndjson'), head)
  let input = Buffer.from('name\n')
  for (const [at, name] of ROWS.entries()) {
    const row = at === 1 ? second : Buffer.from(name)
    const place = { line: at + 2, at: [input.length, row.length] as const }
    input = Buffer.concat([input, row, Buffer.from('\n')])
    writer.add({
      head: { do: 'create', path: '/v1/contacts', ...place, digest: `digest${at}`, n: at },
      body: JSON.stringify({ name, exact: 1 }).replace('1', '12345678901234567890'),
    })
  }
  writer.end({ rows: 5, create: 4, update: 0, delete: 0, unchanged: 0, skipped: 1 })
  const journal = join(paths.earlier, 'journal')
  writeFileSync(journal, journalOf(ENTRIES))
  writeFileSync(join(paths.earlier, 'input'), input)
  writeFileSync(
    join(paths.earlier, 'before.ndjson'),
    '{"op":2,"id":"con_9","record":{"id":"con_9","big":12345678901234567890}}\n',
  )
  writeFileSync(join(paths.earlier, 'left-out.ndjson'), '{"line":9,"code":"no_match"}\n')
  return { ...paths, journal }
}

const textOf = (bytes: Uint8Array = new Uint8Array()): string => Buffer.from(bytes).toString()

/** What is known of its operations, as one text. */
function stateOf(paths: JobPaths): string {
  return withJob(paths, (job) => {
    const { progress, of } = resultsOf(job)
    return JSON.stringify(Array.from(job.all(), ({ op }) => [progress.endOf(op), of(op).id, progress.genOf(op) ?? 0]))
  })
}

test('a job of the earlier form is read with the same keys, bodies, leases and results, and becomes one file', async () => {
  const paths = await makeEarlier()
  expect(headOf(paths).run).toBe('run')
  expect(existsSync(paths.db)).toBe(false)
  expect(stateOf(paths)).toBe('[["done","con_0",0],["failed",null,0],["none",null,2],["none",null,0]]')
  expect(existsSync(paths.db)).toBe(true)
  withJob(paths, (job) => {
    expect(Array.from(job.all(), ({ head: { digest, n }, body }) => [digest, n, String(body)])).toEqual(
      ROWS.map((name, at) => [`digest${at}`, at, `{"name":"${name}","exact":12345678901234567890}`]),
    )
    const input = job.inputOf(job.operation(1)).map(({ line, bytes }) => [line, textOf(bytes)])
    expect(input).toEqual([[3, 'Grace']])
    expect(job.inputAt(-1).map(({ bytes }) => textOf(bytes))).toEqual(['name'])
    expect([...job.befores()]).toEqual(['{"id":"con_9","big":12345678901234567890}'])
    expect([...job.leftOut()]).toEqual(['{"line":9,"code":"no_match"}'])
    const progress = JobProgress.of(job)
    expect(progress).toMatchObject({ next: 4, firstMs: 1000, lastMs: 1004 })
    expect([...progress.openLeases()]).toMatchObject([
      { from: 0, to: 3, time: 1001, key: '0000000a', window: 60_000, life: 9 },
      { from: 3, to: 4, time: 1004 },
    ])
  })
  expect(allJobs(paths.jobsFolder).map(({ id }) => id)).toEqual([paths.id])
  expect(existsSync(paths.journal)).toBe(true)
  removeJob(paths)
  expect(readdirSync(paths.jobsFolder)).toEqual([])
})

test('while another process may be sending it, it is read into memory alone, and is not sent', async () => {
  const paths = await makeEarlier()
  await withLock(join(paths.earlier, 'lock'), async () => {
    expect(stateOf(paths)).toContain('"con_0"')
    expect(readdirSync(paths.jobsFolder)).toEqual([paths.id])
    await expect(convertEarlier(paths)).rejects.toMatchObject({ code: 'conflict' })
  })
  await convertEarlier(paths)
  expect(readdirSync(paths.jobsFolder)).toEqual([paths.id, `${paths.id}.db`])
})

test('what was written since into the file of a job is not replaced by another conversion', async () => {
  const paths = await makeEarlier()
  await convertEarlier(paths)
  const converted = readFileSync(paths.db)
  writeFileSync(paths.journal, '')
  await convertEarlier(paths)
  expect(readFileSync(paths.db)).toEqual(converted)
})

test('an earlier journal that is cut off at any byte ends with its last complete line', async () => {
  const paths = await makeEarlier()
  writeFileSync(join(paths.earlier, 'lock'), '')
  const whole = readFileSync(paths.journal)
  for (let length = 0; length <= whole.length; length += stepOf(7)) {
    const lines = whole.subarray(0, length).toString().split('\n').length - 1
    writeFileSync(paths.journal, journalOf(ENTRIES.slice(0, lines)))
    const wanted = stateOf(paths)
    writeFileSync(paths.journal, whole.subarray(0, length))
    expect(stateOf(paths), `${length} bytes`).toBe(wanted)
  }
})

test('a changed byte of it is refused if a later line says that it was synced', async () => {
  const paths = await makeEarlier()
  writeFileSync(join(paths.earlier, 'lock'), '')
  const whole = readFileSync(paths.journal)
  const ends = [...whole.keys()].filter((at) => whole[at] === 10)
  const last = (ends.at(-2) ?? 0) + 1
  for (let at = 0; at < whole.length; at += stepOf(5)) {
    const damaged = Buffer.from(whole)
    damaged[at] = (damaged[at] ?? 0) ^ 1
    writeFileSync(paths.journal, damaged)
    // Without its end the line before the last is one with the line that would tell.
    if (at === last - 1) continue
    if (at >= last) expect(stateOf(paths)).toContain('"con_0"')
    else expect(() => stateOf(paths)).toThrow(/is damaged at byte/)
  }
})

test('a plan of the earlier form with a changed byte is refused', async () => {
  const paths = await makeEarlier()
  const plan = join(paths.earlier, 'plan.ndjson')
  writeFileSync(plan, readFileSync(plan, 'utf8').replace('Grace', 'Grbce'))
  expect(() => stateOf(paths)).toThrow(CrmError)
  expect(readdirSync(paths.jobsFolder)).toEqual([paths.id])
})

test.each([
  ['utf-16le', 'Grä€', Buffer.from('Grä€', 'utf16le')],
  ['windows-1252', 'Grä€', Buffer.from([0x47, 0x72, 0xe4, 0x80])],
  ['mixed', 'Grä', Buffer.from([0x47, 0x72, 0xe4])],
  ['mixed', 'Grä', Buffer.from('Grä')],
])('a row of its input in %s is kept in UTF-8', async (encoding, text, bytes) => {
  const paths = await makeEarlier(encoding, bytes)
  expect(withJob(paths, (job) => textOf(job.inputOf(job.operation(1))[0]?.bytes))).toBe(text)
})
