import { fstatSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import type { ReceivedEvent } from '../../core/webhook-events.ts'
import { errorCode } from '../../files/error-code.ts'
import { toMachineError } from '../../files/machine-error.ts'
import { ensurePrivateFolder } from '../../files/private-folder.ts'
import { ownPid } from '../../files/processes.ts'
import { syncFolder } from '../../files/sync-folder.ts'
import { entryText } from './entry.ts'
import { type Deleted, deleteOld, type Keep } from './keep.ts'
import { type Segment, segmentName } from './segments.ts'

/** Large enough that a folder of a million events has some twenty files, small enough to be deleted one by one. */
const SEGMENT_BYTES = 64 * 1024 * 1024

export interface EventLogOptions {
  readonly folder: string
  readonly keep: Keep
  readonly now: () => number
  readonly segmentBytes?: number
  /** Told of what `keep` did not cover. */
  readonly onDeleted?: ((deleted: Deleted) => void) | undefined
}

export interface EventLog {
  /** Resolves when the event is on disk. Rejects with a CrmError `machine` when it cannot be. */
  append(event: ReceivedEvent): Promise<void>
  /** When what was appended is on disk. */
  close(): Promise<void>
}

/** Makes the folder now, and a file in it with the first event. CrmError `machine` when the folder cannot be had. */
export async function openEventLog(options: EventLogOptions): Promise<EventLog> {
  await ensurePrivateFolder(options.folder)
  return new GroupedLog(options)
}

interface Waiting {
  readonly line: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface OpenSegment extends Segment {
  readonly file: FileHandle
  sizeBytes: number
}

/** Events that come while the disk is busy are written together: one wait for the disk serves all of them. */
class GroupedLog implements EventLog {
  readonly #options: EventLogOptions
  #waiting: Waiting[] = []
  #segment: OpenSegment | undefined
  #writing: Promise<void> | undefined

  constructor(options: EventLogOptions) {
    this.#options = options
  }

  append(event: ReceivedEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line: `${entryText(event)}\n`, resolve, reject })
      this.#writing ??= this.#writeAll()
    })
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#leaveSegment()
  }

  async #leaveSegment(): Promise<void> {
    await this.#segment?.file.close()
    this.#segment = undefined
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      try {
        const bytes = Buffer.from(batch.map(({ line }) => line).join(''))
        if (!(await this.#write(bytes)) && !(await this.#write(bytes))) throw this.#deleted()
        for (const { resolve } of batch) resolve()
      } catch (error) {
        const failure = toMachineError(error, this.#segment?.path ?? this.#options.folder)
        // Half a line may stand at its end, and nothing must follow that. A failure to close it says nothing more.
        await this.#leaveSegment().catch(() => {})
        for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(failure)
      }
    }
    // In the turn in which nothing was found waiting: what comes after it starts anew.
    this.#writing = undefined
  }

  /** False when the file was deleted meanwhile: what cannot be found again is not kept. */
  async #write(bytes: Buffer): Promise<boolean> {
    const segment = await this.#current(bytes.length)
    segment.sizeBytes += bytes.length
    const { fd } = segment.file
    // Both are a matter of memory and done at once; what waits for the disk is left to a thread, and is all that does.
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    await segment.file.datasync()
    if (fstatSync(fd).nlink > 0) return true
    await this.#leaveSegment()
    return false
  }

  async #current(sizeBytes: number): Promise<OpenSegment> {
    const { folder, keep, now, onDeleted, segmentBytes = SEGMENT_BYTES } = this.#options
    const current = this.#segment
    if (current && current.sizeBytes + sizeBytes <= segmentBytes) return current
    await this.#leaveSegment()
    this.#segment = await createSegment(folder, now())
    const deleted = await deleteOld(folder, keep, now(), this.#segment)
    if (deleted) onDeleted?.(deleted)
    return this.#segment
  }

  #deleted(): CrmError {
    const { folder } = this.#options
    return new CrmError('machine', `files of the event log in ${folder} vanish while they are written`, {
      hint: 'keep events in another folder: set CRM_STATE_HOME',
    })
  }
}

async function createSegment(folder: string, nowMs: number): Promise<OpenSegment> {
  await ensurePrivateFolder(folder)
  const path = join(folder, segmentName(nowMs, ownPid()))
  try {
    const file = await open(path, 'wx', 0o600)
    await syncFolder(dirname(path))
    return { path, pid: ownPid(), file, sizeBytes: 0 }
  } catch (error) {
    // Two in one millisecond.
    if (errorCode(error) === 'EEXIST') return await createSegment(folder, nowMs + 1)
    throw toMachineError(error, path)
  }
}
