import { Buffer, isUtf8 } from 'node:buffer'
import { closeSync, existsSync, fstatSync, linkSync, openSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { CrmError } from '../../core/errors.ts'
import { isLocked } from '../../files/lock.ts'
import { errorCode, syncFolderNow, toMachineError } from '../../files/machine-error.ts'
import type { InputBytes } from '../input/row.ts'
import { PlanFile } from '../plan/plan-file.ts'
import type { PlanHead } from '../plan/plan-format.ts'
import { HEADER_ROW, JobFile } from './job-file.ts'
import { dropDraft, type JobPaths, openDraftOf } from './job-folder.ts'
import { InputCopy, JobWriter } from './job-writer.ts'
import { Journal } from './journal.ts'
import { type Entry, JobProgress } from './progress.ts'

/** The file of a job on this machine, to be closed. CrmError `machine` if it is damaged: it cannot be made again. */
export function openJob(paths: JobPaths): JobFile {
  return existsSync(paths.db) ? new JobFile(paths) : openEarlier(paths)
}

export function withJob<Result>(paths: JobPaths, work: (job: JobFile) => Result): Result {
  const job = openJob(paths)
  try {
    return work(job)
  } finally {
    job.close()
  }
}

export function headOf(paths: JobPaths): PlanHead {
  return existsSync(paths.db) ? withJob(paths, ({ head }) => head) : headOfEarlier(paths)
}

/** Earlier versions stored a job as a folder of files. */
function filesOf({ earlier }: JobPaths) {
  const at = (name: string) => join(earlier, name)
  return {
    plan: at('plan.ndjson'),
    before: at('before.ndjson'),
    input: at('input'),
    leftOut: at('left-out.ndjson'),
    journal: at('journal'),
    lock: at('lock'),
  }
}

function headOfEarlier(paths: JobPaths): PlanHead {
  return asDamage(paths.id, () => {
    const plan = new PlanFile(filesOf(paths).plan)
    plan.close()
    return plan.head
  })
}

/**
 * Opens a job of the earlier form. It is converted to a file, unless the jobs folder is not writable or a process may be sending the
 * job: then it is read into memory.
 */
function openEarlier(paths: JobPaths): JobFile {
  if (!existsSync(filesOf(paths).lock)) {
    try {
      convert(paths)
      return new JobFile(paths)
    } catch (error) {
      // A damaged job fails again below.
      if (!(error instanceof CrmError)) throw error
    }
  }
  const database = new DatabaseSync(':memory:')
  copyPlan(paths, ':memory:', database)
  const file = new JobFile(paths, database)
  copyJournal(paths, file)
  return file
}

/** Must be called before the job is changed. CrmError `conflict` if an earlier version of crm is sending it. */
export async function convertEarlier(paths: JobPaths): Promise<void> {
  const { plan, lock } = filesOf(paths)
  if (existsSync(paths.db) || !existsSync(plan)) return
  if (await isLocked(lock))
    throw new CrmError('conflict', `an earlier version of crm is sending ${paths.id}`, {
      hint: `wait until it has ended; it is the process in ${lock}`,
    })
  convert(paths)
}

/** Writes the job to a file of the current form, and leaves the old folder in place. CrmError `machine` if this is not possible. */
function convert(paths: JobPaths): void {
  const draft = openDraftOf(paths.jobsFolder, paths.id)
  try {
    copyPlan(paths, draft.db)
    const file = new JobFile({ ...paths, db: draft.db })
    try {
      copyJournal(paths, file)
    } finally {
      file.close()
    }
    // A rename would replace the file of another process that converted the job first.
    linkSync(draft.db, paths.db)
    syncFolderNow(paths.jobsFolder)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw toMachineError(error, paths.db)
  } finally {
    dropDraft(draft)
  }
}

function copyPlan(paths: JobPaths, to: string, database?: DatabaseSync): void {
  const { plan: path, before, input, leftOut } = filesOf(paths)
  const plan = asDamage(paths.id, () => new PlanFile(path))
  const records = beforesIn(before)
  const copy = new InputCopy(input)
  const writer = new JobWriter(to, plan.head, database)
  try {
    asDamage(paths.id, () => plan.verify())
    const toUtf8 = ({ line, bytes }: InputBytes) => ({ line, bytes: inUtf8(bytes, plan.head.input?.verdict.encoding) })
    writer.addInput(HEADER_ROW, copy.header(plan.head.input).map(toUtf8))
    for (const { op, head, body } of plan.all()) {
      writer.add({ head, body: body?.toString('utf8') }, records(op), copy.rowsOf(head).map(toUtf8))
    }
    for (const { line } of linesIn(leftOut)) writer.leaveOut(line.toString('utf8'))
    const { end, ...counts } = plan.end
    writer.end(counts)
  } finally {
    writer.close()
    plan.close()
    copy.close()
  }
}

/** Earlier versions stored the input in its own encoding. */
function inUtf8(bytes: Uint8Array, encoding = 'utf-8'): Uint8Array {
  if (!encoding.startsWith('utf-16') && isUtf8(bytes)) return bytes
  return Buffer.from(new TextDecoder(encoding === 'mixed' ? 'windows-1252' : encoding).decode(bytes))
}

/** Only the last commit is synced: the file gets its name after that. */
function copyJournal(paths: JobPaths, file: JobFile): void {
  const progress = new JobProgress(file.count)
  const journal = new Journal(file, progress, () => progress.lastMs ?? 0)
  file.execute('PRAGMA synchronous = OFF')
  for (const entry of entriesIn(filesOf(paths).journal)) journal.append(entry)
  journal.close()
}

const RECORD = ',"record":'

/** Returns the record before an operation as JSON. Operations must be requested in order. */
function beforesIn(path: string): (op: number) => string | undefined {
  const lines = linesIn(path)
  let next = { op: -1, text: '' }
  return (op) => {
    while (next.op < op) {
      const { value, done } = lines.next()
      if (done) return undefined
      const line = value.line.toString('utf8')
      // Quotes inside JSON texts are escaped, so this occurs first before the record. It is copied with all digits.
      const at = line.indexOf(RECORD)
      const head = JSON.parse(`${line.slice(0, at)}}`) as { op: number }
      next = { op: head.op, text: line.slice(at + RECORD.length, -1) }
    }
    return next.op === op ? next.text : undefined
  }
}

function asDamage<Result>(id: string, work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof CrmError) || cause.code !== 'invalid_input') throw cause
    throw new CrmError('machine', `${id} is damaged, and its rows are unknown: ${cause.message}`, {
      hint: damagedHint(id),
      job: id,
      cause,
    })
  }
}

/** `s`: lines before it; `y`: lines that were synced when it was written. */
type Numbered = Entry & { readonly s: number; readonly y: number }

/**
 * The intact entries, in order. A tail torn by a crash or a power cut ends the journal: nothing in it had been synced. CrmError
 * `machine` if a line is damaged that a later line records as synced.
 */
function* entriesIn(path: string): Generator<Entry, void, undefined> {
  let [serial, wholeBytes, isTorn] = [0, 0, false]
  for (const { line, hasEnd } of linesIn(path)) {
    // Its checksum as eight hex digits, and its JSON.
    const [crc, json] = [line.toString('latin1', 0, 9), line.subarray(9)]
    const isWhole = /^[0-9a-f]{8} $/.test(crc) && Number.parseInt(crc, 16) === crc32(json)
    const decoded = isWhole ? (JSON.parse(json.toString('utf8')) as Numbered) : undefined
    if (!isTorn && hasEnd && decoded?.s === serial) {
      const { s, y, ...entry } = decoded
      yield entry
      serial += 1
      wholeBytes += line.length + 1
    } else {
      isTorn = true
      if (decoded && decoded.y > serial) throw damaged(path, wholeBytes)
    }
  }
}

function damagedHint(id: string): string {
  return `check the disk, and restore its folder from a backup; or set it aside: crm jobs cancel ${id} --damaged`
}

function damaged(path: string, at: number): CrmError {
  return new CrmError('machine', `${path} is damaged at byte ${at}: data that had been synced to the disk is missing`, {
    hint: damagedHint(basename(dirname(path))),
  })
}

const CHUNK_BYTES = 1024 * 1024
const LINE_END = 10

/** The lines of a file, each valid until the next; none if it does not exist. `hasEnd`: false for a truncated last line. */
function* linesIn(path: string): Generator<{ readonly line: Buffer; readonly hasEnd: boolean }, void, undefined> {
  if (!existsSync(path)) return
  const file = openSync(path, 'r')
  try {
    let chunk = Buffer.allocUnsafe(Math.min(Math.max(fstatSync(file).size, 1), CHUNK_BYTES))
    let filled = 0
    for (let length = -1; length !== 0; ) {
      length = readSync(file, chunk, filled, chunk.length - filled, null)
      const whole = chunk.subarray(0, filled + length)
      let start = 0
      for (let end = whole.indexOf(LINE_END); end >= 0; end = whole.indexOf(LINE_END, start)) {
        yield { line: whole.subarray(start, end), hasEnd: true }
        start = end + 1
      }
      filled = whole.copy(chunk, 0, start)
      if (filled === chunk.length && length > 0) chunk = Buffer.concat([chunk, Buffer.allocUnsafe(chunk.length)])
    }
    if (filled > 0) yield { line: chunk.subarray(0, filled), hasEnd: false }
  } finally {
    closeSync(file)
  }
}
