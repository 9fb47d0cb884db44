import { errorCode, toMachineError } from '../../files/machine-error.ts'
import type { KeptAttempt } from './attempt.ts'
import { attemptsSince, MAX_SCANNED_BYTES } from './read-events.ts'
import { listSegments, type Segment, segmentSize } from './segments.ts'

/** Events and targets of each of two generations: some 20 MB. */
const MAX_KNOWN = 50_000

interface LastAttempt {
  readonly atMs: number
  readonly isAccepted: boolean
}

/** The last attempt of each event at each target, by the log: those of other processes and of earlier runs, too. */
export class KnownAttempts {
  readonly #folder: string
  /** How far each file was read. */
  readonly #readTo = new Map<string, number>()
  #recent = new Map<string, LastAttempt>()
  #older: ReadonlyMap<string, LastAttempt> = new Map()
  #reading: Promise<void> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Reads what was written since the last time; at first, the newest part of the log. */
  refresh(onAttempt: (attempt: KeptAttempt) => void = () => {}): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readOn(onAttempt))
    return this.#reading
  }

  /** Whether the target took the event last. */
  isAccepted(target: string, id: string): boolean {
    return this.#last(keyOf(target, id))?.isAccepted ?? false
  }

  async #readOn(onAttempt: (attempt: KeptAttempt) => void): Promise<void> {
    const segments = await listSegments(this.#folder)
    if (this.#readTo.size === 0) await this.#skipOld(segments)
    for (const segment of segments) {
      try {
        const { attempts, nextAt } = await attemptsSince(segment, this.#readTo.get(segment.path) ?? 0)
        this.#readTo.set(segment.path, nextAt)
        for (const attempt of attempts) {
          this.#add(attempt)
          onAttempt(attempt)
        }
      } catch (error) {
        // Deleted since it was listed, by --keep of another process.
        if (errorCode(error) !== 'ENOENT') throw toMachineError(error, segment.path)
      }
    }
  }

  /** So that a large log does not delay a start. */
  async #skipOld(segments: readonly Segment[]): Promise<void> {
    let sizeBytes = 0
    for (const segment of segments.toReversed()) {
      const size = (await segmentSize(segment))?.sizeBytes ?? 0
      if (sizeBytes >= MAX_SCANNED_BYTES) this.#readTo.set(segment.path, size)
      sizeBytes += size
    }
  }

  #add({ id, target, startedAtMs: atMs, failure }: KeptAttempt): void {
    if (id === undefined) return
    const key = keyOf(target, id)
    if (atMs < (this.#last(key)?.atMs ?? 0)) return
    if (this.#recent.size >= MAX_KNOWN) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, { atMs, isAccepted: failure === undefined })
  }

  #last(key: string): LastAttempt | undefined {
    return this.#recent.get(key) ?? this.#older.get(key)
  }
}

function keyOf(target: string, id: string): string {
  return `${target}\n${id}`
}
