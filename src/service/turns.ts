import { Problem } from './problem.ts'

/** How long requests are handled before the event loop goes on: health probes and other sockets are served between. */
const TURN_MS = 25

/** Requests that have waited for longer are refused: their clients had better come later. */
const LATE_MS = 1000

/** Of the Problem for a request that is not handled. */
export const OVERLOADED = 'overloaded'

interface Waiting {
  readonly sinceMs: number
  readonly start: () => void
  readonly refuse: (problem: Problem) => void
}

/** Shares the event loop: work of many connections, of which each has some, must not keep the others from it. */
export class Turns {
  readonly #waiting: Waiting[] = []
  #startMs: number | undefined

  /** Undefined: now. Otherwise resolves when the work may be done, or rejects with a Problem when that is too late. */
  next(): Promise<void> | undefined {
    const sinceMs = performance.now()
    if (this.#waiting.length === 0 && this.#isInTime(sinceMs)) return undefined
    return new Promise((start, refuse) => {
      this.#waiting.push({ sinceMs, start, refuse })
      setImmediate(this.#startOne)
    })
  }

  /** Begins a turn in the first call in each pass of the event loop. */
  #isInTime(nowMs: number): boolean {
    if (this.#startMs === undefined) {
      this.#startMs = nowMs
      setImmediate(() => {
        this.#startMs = undefined
      })
    }
    return nowMs - this.#startMs < TURN_MS
  }

  /** What it starts are microtasks, which end before the next one is asked for; in the next pass, when the time is over. */
  readonly #startOne = (): void => {
    const nowMs = performance.now()
    if (!this.#isInTime(nowMs)) return void setImmediate(this.#startOne)
    const first = this.#waiting.shift()
    if (first && nowMs - first.sinceMs > LATE_MS) first.refuse(overloaded())
    else first?.start()
  }
}

export function overloaded(): Problem {
  return new Problem(503, OVERLOADED, 'the service has more requests than it can handle; send it again in a moment', {
    headers: { 'retry-after': '1' },
  })
}
