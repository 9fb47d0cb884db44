import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import { isRunning } from '../../files/processes.ts'

/** A file of the log. Only the process that created it writes to it, until it is full or the process ends. */
export interface Segment {
  readonly path: string
  readonly pid: number
}

const NAME = /^\d{8}T\d{9}Z-(\d+)\.jsonl$/

/** Names sort by time. */
export function segmentName(createdAtMs: number, pid: number): string {
  return `${runName(createdAtMs, pid)}.jsonl`
}

/** Distinguishes what processes wrote. */
export function runName(startedAtMs: number, pid: number): string {
  return `${new Date(startedAtMs).toISOString().replace(/[-:.]/g, '')}-${pid}`
}

/** The time in its name. */
export function createdAtMs({ path }: Segment): number {
  const [, date = '', time = ''] = /(\d{8})T(\d{9})Z-\d+\.jsonl$/.exec(path) ?? []
  const [year, month, day] = [date.slice(0, 4), date.slice(4, 6), date.slice(6)].map(Number)
  const [hours, minutes, ms] = [time.slice(0, 2), time.slice(2, 4), time.slice(4)].map(Number)
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hours, minutes, 0, ms)
}

/** Oldest first; empty when the folder does not exist. */
export async function listSegments(folder: string): Promise<readonly Segment[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    throw toMachineError(error, folder)
  })
  return names.toSorted().flatMap((name) => {
    const [, pid] = NAME.exec(name) ?? []
    return pid === undefined ? [] : [{ path: join(folder, name), pid: Number(pid) }]
  })
}

export interface SegmentSize {
  readonly sizeBytes: number
  readonly writtenAtMs: number
}

/** Undefined for a file that no longer exists. */
export async function segmentSize({ path }: Segment): Promise<SegmentSize | undefined> {
  try {
    const { size, mtimeMs } = await stat(path)
    return { sizeBytes: size, writtenAtMs: mtimeMs }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw toMachineError(error, path)
  }
}

/** The bounds of the log, applied to whole files; undefined sets no bound. */
export interface LogBounds {
  readonly maxAgeMs: number | undefined
  readonly maxBytes: number | undefined
}

export const KEEP_ALL: LogBounds = { maxAgeMs: undefined, maxBytes: undefined }

/** The files deleted by one clean-up. */
export interface Deleted {
  readonly fileCount: number
  readonly sizeBytes: number
  /** Time since the last write, of the oldest and of the youngest deleted file. */
  readonly oldestMs: number
  readonly youngestMs: number
}

/**
 * Deletes the files that `keep` does not cover, oldest write first. `own` and the files of running processes are kept.
 * Undefined when nothing was deleted.
 */
export async function deleteOld(
  folder: string,
  keep: LogBounds,
  nowMs: number,
  own: Segment,
): Promise<Deleted | undefined> {
  const { maxAgeMs, maxBytes } = keep
  if (maxAgeMs === undefined && maxBytes === undefined) return undefined
  const segments = await Promise.all(
    (await listSegments(folder)).map(async (segment) => ({ ...segment, ...(await segmentSize(segment)) })),
  )
  let keptBytes = 0
  let deleted: Deleted | undefined
  for (const segment of segments.toSorted((one, other) => (other.writtenAtMs ?? 0) - (one.writtenAtMs ?? 0))) {
    const { path, pid, sizeBytes = 0, writtenAtMs = nowMs } = segment
    keptBytes += sizeBytes
    const isOld = maxAgeMs !== undefined && nowMs - writtenAtMs > maxAgeMs
    const isTooMuch = maxBytes !== undefined && keptBytes > maxBytes
    const isWritten = pid === own.pid ? path === own.path : isRunning(pid)
    if (!(isOld || isTooMuch) || isWritten) continue
    await rm(path, { force: true })
    const ageMs = nowMs - writtenAtMs
    deleted = {
      fileCount: (deleted?.fileCount ?? 0) + 1,
      sizeBytes: (deleted?.sizeBytes ?? 0) + sizeBytes,
      oldestMs: ageMs,
      youngestMs: deleted?.youngestMs ?? ageMs,
    }
  }
  return deleted
}
