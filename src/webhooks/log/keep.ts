import { rm } from 'node:fs/promises'
import { isRunning } from '../../files/is-running.ts'
import { listSegments, type Segment, segmentSize } from './segments.ts'

/** What of the log stays, counted in whole files; undefined sets no bound. */
export interface Keep {
  readonly maxAgeMs: number | undefined
  readonly maxBytes: number | undefined
}

export const KEEP_ALL: Keep = { maxAgeMs: undefined, maxBytes: undefined }

/** Deletes the files written to longest ago that `keep` does not cover; `own`, and files of others that run, always stay. */
export async function deleteOld(folder: string, keep: Keep, nowMs: number, own: Segment): Promise<void> {
  const { maxAgeMs, maxBytes } = keep
  if (maxAgeMs === undefined && maxBytes === undefined) return
  const segments = await Promise.all(
    (await listSegments(folder)).map(async (segment) => ({ ...segment, ...(await segmentSize(segment)) })),
  )
  let keptBytes = 0
  for (const segment of segments.toSorted((one, other) => (other.writtenAtMs ?? 0) - (one.writtenAtMs ?? 0))) {
    const { path, pid, sizeBytes = 0, writtenAtMs = nowMs } = segment
    keptBytes += sizeBytes
    const isOld = maxAgeMs !== undefined && nowMs - writtenAtMs > maxAgeMs
    const isTooMuch = maxBytes !== undefined && keptBytes > maxBytes
    const isWritten = pid === own.pid ? path === own.path : isRunning(pid)
    if ((isOld || isTooMuch) && !isWritten) await rm(path, { force: true })
  }
}
