import type { Failure } from '../../api/errors/failure.ts'
import type { RateLimiter } from '../../api/limits/rate-limiter.ts'
import type { KeyKeeping } from '../../api/writes/key-keeping.ts'
import type { Sender } from '../../api/writes/sender.ts'
import type { Journal } from '../journal/journal.ts'
import type { Progress } from '../journal/progress.ts'
import type { Leases } from './leases.ts'
import type { GoneAs, SendOutcome } from './send-outcome.ts'
import type { ServerClock } from './server-clock.ts'
import type { Task } from './task-queue.ts'

export interface DispatchParts {
  readonly journal: Journal
  readonly progress: Progress
  readonly leases: Leases
  readonly sender: Sender
  readonly limiter: RateLimiter
  readonly clock: ServerClock
  /** Whether the server is known to keep idempotency keys. */
  readonly keys: KeyKeeping
  /** Whether a create that is answered with the id of another create is in doubt. */
  readonly isEachIdOnce: boolean
  readonly account: string
  readonly run: string
  readonly lifeMs: number
  /** Stops behind so many failed rows. */
  readonly maxFailed: number
  /** The longest time in which nothing gets through. */
  readonly maxOutageMs: number
  readonly signal: AbortSignal
  readonly steadyMs: () => number
  readonly random: () => number
  readonly hooks: DispatchHooks
}

export interface DispatchHooks {
  /** After each operation that came to an end. */
  onEnd(task: Task, sendOutcome: SendOutcome): void
  /** When nothing is sent for a while, and undefined when it goes on. */
  onPause(pause: { readonly why: string; readonly untilMs: number | undefined } | undefined): void
}

/** Why sending stopped before its end. */
export type Stop =
  | { readonly why: 'interrupted' }
  | { readonly why: 'refused'; readonly failure: Failure }
  | { readonly why: 'outage'; readonly failure: Failure; readonly lastsMs: number }
  | { readonly why: 'limit'; readonly waitMs: number }
  | { readonly why: 'errors'; readonly failed: number }
  | { readonly why: 'error'; readonly error: unknown }

export interface Unsettled {
  readonly task: Task
  readonly why: string
  /** The server has given its last word: no request of it is under way. */
  readonly isAnswered: boolean
  /** For a deletion that was answered with 404 or 410. */
  readonly goneAs?: GoneAs | undefined
}

export interface Dispatched {
  readonly stop: Stop | undefined
  /** What only a look at the records can tell. */
  readonly unsettled: readonly Unsettled[]
  /** What was leased, and was not sent or has to be sent again. */
  readonly left: readonly Task[]
}
