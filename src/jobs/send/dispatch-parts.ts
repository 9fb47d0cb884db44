import type { Failure } from '../../api/errors/failure.ts'
import type { RateLimiter } from '../../api/limits/rate-limiter.ts'
import type { KeyKeeping } from '../../api/writes/key-keeping.ts'
import type { Sender } from '../../api/writes/sender.ts'
import type { Journal } from '../journal/journal.ts'
import type { JobProgress } from '../journal/progress.ts'
import type { Leases } from './leases.ts'
import type { GoneAs, SendOutcome } from './send-outcome.ts'
import type { ServerClock } from './services.ts'
import type { Task } from './task-queue.ts'

export interface DispatchParts {
  readonly journal: Journal
  readonly progress: JobProgress
  readonly leases: Leases
  readonly sender: Sender
  readonly limiter: RateLimiter
  readonly clock: ServerClock
  /** Whether the server is known to keep idempotency keys. */
  readonly keys: KeyKeeping
  /** Whether a create is in doubt if its response has the id of another create. */
  readonly isEachIdOnce: boolean
  readonly account: string
  readonly run: string
  readonly lifeMs: number
  /** Stops after more failed rows than this. */
  readonly maxFailed: number
  /** The longest time without a response. */
  readonly maxOutageMs: number
  readonly signal: AbortSignal
  readonly steadyMs: () => number
  readonly random: () => number
  readonly hooks: DispatchHooks
}

export interface DispatchHooks {
  /** Called after the end of each operation. */
  onEnd(task: Task, sendOutcome: SendOutcome): void
  /** Called when sending pauses, and with undefined when it continues. */
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
  /** The server has responded: no request of the operation is in progress. */
  readonly isAnswered: boolean
  /** For a deletion with the response 404 or 410. */
  readonly goneAs?: GoneAs | undefined
}

export interface Dispatched {
  readonly stop: Stop | undefined
  /** Operations whose outcome only the records show. */
  readonly unsettled: readonly Unsettled[]
  /** Leased operations that were not sent, or must be sent again. */
  readonly left: readonly Task[]
}
