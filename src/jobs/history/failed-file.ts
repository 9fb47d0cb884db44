import { closeSync, createReadStream, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import { isSameJson, type JsonValue } from '../../core/json.ts'
import { shellWord } from '../../core/shell-words.ts'
import { replaceFile } from '../../files/replace-file.ts'
import { createFailedRows, failedRowsName } from '../input/failed-rows.ts'
import type { PlanInput, PlanOperation } from '../plan/plan-format.ts'
import { HEADER_ROW, type JobFile } from '../store/job-file.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { isJobLocked } from '../store/job-lock.ts'
import { headOf, openJob } from '../store/open-job.ts'
import { JobProgress } from '../store/progress.ts'
import { type FailureGroup, FailureGroups, failuresOf, type RowFailure, readLeft } from './failures.ts'
import { allHeads } from './find-jobs.ts'

export function failedFile({ jobsFolder, id }: JobPaths, { verdict }: PlanInput): string {
  return join(jobsFolder, `${id}.${failedRowsName(verdict)}`)
}

type FailedRow = Pick<RowFailure, 'operation' | 'code' | 'field' | 'reason'>

/** Writes the rows of the input with their reasons. A job from another machine has no input. */
async function writeRows(plan: JobFile, file: string, failures: Iterable<FailedRow>): Promise<void> {
  const { input } = plan.head
  if (!input) return
  const header = plan.inputAt(HEADER_ROW)[0]?.bytes
  const rows = await createFailedRows({ summary: input.verdict, header, to: file })
  for (const failure of failures) for (const row of plan.inputOf(failure.operation)) await rows.add(row, failure)
  await rows.close()
  plan.setNote('failed', stampOf(file))
}

/** Whether the file was changed since crm wrote it. Corrections must not be overwritten. */
function isEdited(job: JobFile, file: string): boolean {
  const written = job.note('failed')
  return written !== undefined && existsSync(file) && !isSameJson(written as JsonValue, stampOf(file))
}

function stampOf(file: string): { readonly sizeBytes: number; readonly mtimeMs: number } {
  const { size: sizeBytes, mtimeMs } = statSync(file)
  return { sizeBytes, mtimeMs }
}

export interface FailureReport {
  /** A file with the failed rows of the input, for correction; undefined for a job without an input file. */
  readonly file: string | undefined
  /** Whether a user edited the file since it was written, so that it was kept. */
  readonly isEdited?: true
  readonly groups: readonly FailureGroup[]
}

/** Groups the failures by cause, and writes the failed rows with their reasons; undefined if no row failed. */
export async function reportFailures(paths: JobPaths): Promise<FailureReport | undefined> {
  const isSent = isJobLocked(paths)
  const plan = openJob(paths)
  try {
    const progress = JobProgress.of(plan)
    if (progress.counts.failed + progress.counts.doubt + progress.unanswered === 0) return undefined
    const isLeft = await readLeft(paths, progress, isSent)
    if (!hasAny(plan, isLeft)) return undefined
    const groups = new FailureGroups()
    const failures = groups.counted(failuresOf(plan, progress, isLeft))
    const { input } = plan.head
    const file = input && plan.hasInput ? failedFile(paths, input) : undefined
    const isKept = file !== undefined && isEdited(plan, file)
    if (file !== undefined && !isKept) await writeRows(plan, file, failures)
    else for (const _ of failures);
    return { file, ...(isKept && { isEdited: isKept }), groups: groups.list() }
  } finally {
    plan.close()
  }
}

function hasAny({ count }: JobFile, isLeft: (op: number) => boolean): boolean {
  for (let op = 0; op < count; op++) if (isLeft(op)) return true
  return false
}

/**
 * Writes the rows that a plan rejects, into the job and to the file of `--rejects`, before the job is sent. CrmError `usage` if
 * that file exists, and is not an unchanged one of an earlier job: it may hold corrections.
 */
export async function writeRejects(jobsFolder: string, paths: JobPaths): Promise<string | undefined> {
  const plan = openJob(paths)
  try {
    const { rejects, input } = plan.head
    if (rejects === undefined || !input || !plan.hasInput) return undefined
    if (existsSync(rejects) && !isKnown(jobsFolder, rejects)) throw changedFile(rejects)
    const file = failedFile(paths, input)
    await writeRows(plan, file, rejected(plan.all()))
    await copyTo(file, rejects)
    return rejects
  } finally {
    plan.close()
  }
}

function* rejected(operations: Iterable<PlanOperation>): Generator<FailedRow> {
  for (const operation of operations) {
    const { failed } = operation.head
    if (failed) yield { operation, ...failed, field: failed.field ?? undefined }
  }
}

export interface RejectsReport extends FailureReport {
  /** The file of `--rejects`, if it has these rows now. */
  readonly rejects: string | undefined
}

/** As reportFailures, after a run; the rows also go to the file of `--rejects`, unless a person has changed it meanwhile. */
export async function reportRejects(paths: JobPaths): Promise<RejectsReport | undefined> {
  const { rejects, input } = headOf(paths)
  const isOurs =
    rejects !== undefined && input && (!existsSync(rejects) || isSameFile(rejects, failedFile(paths, input)))
  const report = await reportFailures(paths)
  if (!report || !isOurs || report.file === undefined) return report && { ...report, rejects: undefined }
  await copyTo(report.file, rejects)
  return { ...report, rejects }
}

function isKnown(jobsFolder: string, rejects: string): boolean {
  return allHeads(jobsFolder).some(
    ({ paths, head: { rejects: own, input } }) =>
      own === rejects && input !== undefined && isSameFile(rejects, failedFile(paths, input)),
  )
}

const CHUNK_BYTES = 64 * 1024

function isSameFile(path: string, written: string): boolean {
  if (!existsSync(written)) return false
  const [one, other] = [openSync(path, 'r'), openSync(written, 'r')]
  try {
    const { size } = fstatSync(one)
    if (size !== fstatSync(other).size) return false
    const [left, right] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)]
    for (let at = 0; at < size; at += CHUNK_BYTES) {
      const length = readSync(one, left, 0, CHUNK_BYTES, at)
      readSync(other, right, 0, CHUNK_BYTES, at)
      if (!left.subarray(0, length).equals(right.subarray(0, length))) return false
    }
    return true
  } finally {
    closeSync(one)
    closeSync(other)
  }
}

async function copyTo(from: string, to: string): Promise<void> {
  await replaceFile(to, async ({ stream, path }) => {
    if (path !== undefined) await chmod(path, 0o600)
    for await (const bytes of createReadStream(from)) stream.write(bytes)
  })
}

function changedFile(path: string): CrmError {
  return new CrmError('usage', `${path} exists, and may hold rows that were corrected; nothing was sent`, {
    hint: `send them with crm jobs retry JOB --from ${shellWord(path)}, move the file, or name another one with --rejects`,
  })
}
