import { fstatSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import type { ForwardResult, ReceivedEvent } from '../../core/webhook-events.ts'
import { errorCode, syncFolder, toMachineError } from '../../files/machine-error.ts'
import { ensurePrivateFolder } from '../../files/private-file.ts'
import { ownPid } from '../../files/processes.ts'
import { attemptText } from './attempt.ts'
import { entryText } from './entry.ts'
import { type Deleted, deleteOld, type LogBounds, runName, type Segment, segmentName } from './segments.ts'

/** A million events make about twenty files; each is small enough to be deleted on its own. */
const SEGMENT_BYTES = 64 * 1024 * 1024

export interface EventLogOptions {
  readonly folder: string
  readonly keep: LogBounds
  readonly now: () => number
  readonly segmentBytes?: number
  /** Called when files that `keep` does not cover are deleted. */
  readonly onDeleted?: ((deleted: Deleted) => void) | undefined
}

export interface EventLog {
  /** Resolves when the event is on disk. Rejects with a CrmError `machine` when it cannot be written. */
  append(event: ReceivedEvent): Promise<void>
  /** The same for an attempt to forward one. */
  appendAttempt(result: ForwardResult): Promise<void>
  /** Resolves when all appended events are on disk. */
  close(): Promise<void>
}

/** Creates the folder now and the first file with the first event. CrmError `machine` when the folder cannot be created. */
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
  /** The time in its name. */
  readonly nameMs: number
}

/** Events appended while the disk is busy are written together, with one sync for all of them. */
class GroupedLog implements EventLog {
  readonly #options: EventLogOptions
  #waiting: Waiting[] = []
  #segment: OpenSegment | undefined
  #nextNameMs = 0
  #writing: Promise<void> | undefined
  readonly #run: string

  constructor(options: EventLogOptions) {
    this.#options = options
    this.#run = runName(options.now(), ownPid())
  }

  append(event: ReceivedEvent): Promise<void> {
    return this.#appendLine(entryText(event))
  }

  appendAttempt(result: ForwardResult): Promise<void> {
    return this.#appendLine(attemptText(result, this.#run))
  }

  #appendLine(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line: `${line}\n`, resolve, reject })
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
        // The file may end in half a line, so nothing more is appended to it. The first error is the one to report.
        await this.#leaveSegment().catch(() => {})
        for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(failure)
      }
    }
    // Synchronous with the last check of the queue: a later append starts a new write.
    this.#writing = undefined
  }

  /** False when the file was deleted meanwhile: the event is then not kept. */
  async #write(bytes: Buffer): Promise<boolean> {
    const segment = await this.#current(bytes.length)
    segment.sizeBytes += bytes.length
    const { fd } = segment.file
    // write and fstat touch memory only and run synchronously; datasync waits for the disk in a thread.
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
    // Names sort by time, also those of several files in one millisecond of which the first ones are deleted.
    this.#segment = await createSegment(folder, Math.max(now(), this.#nextNameMs))
    this.#nextNameMs = this.#segment.nameMs + 1
    const deleted = await deleteOld(folder, keep, now(), this.#segment)
    if (deleted) onDeleted?.(deleted)
    return this.#segment
  }

  #deleted(): CrmError {
    const { folder } = this.#options
    return new CrmError('machine', `files of the event log in ${folder} are deleted while they are written`, {
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
    return { path, pid: ownPid(), file, sizeBytes: 0, nameMs: nowMs }
  } catch (error) {
    // Two files in one millisecond.
    if (errorCode(error) === 'EEXIST') return await createSegment(folder, nowMs + 1)
    throw toMachineError(error, path)
  }
}
