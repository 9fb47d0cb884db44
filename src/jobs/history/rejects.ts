import { closeSync, createReadStream, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import { replaceFile } from '../../files/replace-file.ts'
import { createFailedRows } from '../input/failed-rows.ts'
import { HEADER_ROW } from '../store/job-file.ts'
import type { JobPaths } from '../store/job-folder.ts'
import { headOf, openJob } from '../store/open-job.ts'
import { failedFile, noteWritten, reportFailures } from './failures.ts'
import { allJobs } from './find-jobs.ts'

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
    const rows = await createFailedRows({
      summary: input.verdict,
      header: plan.inputAt(HEADER_ROW)[0]?.bytes,
      to: file,
    })
    for (const operation of plan.all()) {
      const { failed } = operation.head
      if (!failed) continue
      for (const row of plan.inputOf(operation)) await rows.add(row, { ...failed, field: failed.field ?? undefined })
    }
    await rows.close()
    noteWritten(plan, file)
    await copyTo(file, rejects)
    return rejects
  } finally {
    plan.close()
  }
}

export interface RejectsReport extends NonNullable<Awaited<ReturnType<typeof reportFailures>>> {
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
  return allJobs(jobsFolder).some((paths) => {
    const { rejects: own, input } = headOf(paths)
    return own === rejects && input !== undefined && isSameFile(rejects, failedFile(paths, input))
  })
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
