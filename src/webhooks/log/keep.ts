import { rm } from 'node:fs/promises'
import { isRunning } from '../../files/processes.ts'
import { listSegments, type Segment, segmentSize } from './segments.ts'

/** What of the log stays, counted in whole files; undefined sets no bound. */
export interface Keep {
  readonly maxAgeMs: number | undefined
  readonly maxBytes: number | undefined
}

export const KEEP_ALL: Keep = { maxAgeMs: undefined, maxBytes: undefined }

/** What was deleted at one time. */
export interface Deleted {
  readonly fileCount: number
  readonly sizeBytes: number
  /** Since a file was written to: of the one where that is longest ago, and of the last one. */
  readonly oldestMs: number
  readonly youngestMs: number
}

/** Deletes the files written to longest ago that `keep` does not cover; `own`, and files of others that run, always stay. Undefined where nothing had to go. */
export async function deleteOld(folder: string, keep: Keep, nowMs: number, own: Segment): Promise<Deleted | undefined> {
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
