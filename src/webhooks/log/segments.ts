import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../files/error-code.ts'
import { toMachineError } from '../../files/machine-error.ts'

/** A file of the log. Only the process that created it writes to it, until it is full or the process ends. */
export interface Segment {
  readonly path: string
  readonly pid: number
}

const NAME = /^\d{8}T\d{9}Z-(\d+)\.jsonl$/

/** Names sort by time. */
export function segmentName(createdAtMs: number, pid: number): string {
  return `${new Date(createdAtMs).toISOString().replace(/[-:.]/g, '')}-${pid}.jsonl`
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
