import type { IncomingHttpHeaders } from 'node:http'
import type { Offers } from '../../api/connectors/connector.ts'
import type { Failure } from '../../api/errors/failure.ts'
import type { ObservedCapacity } from '../../api/limits/observed-capacity.ts'
import type { RateLimiter } from '../../api/limits/rate-limiter.ts'
import type { ServerTerms } from '../../api/server-terms.ts'
import type { Timing } from '../../api/transport/timing.ts'
import type { KeyKeeping } from '../../api/writes/key-keeping.ts'
import type { Sender } from '../../api/writes/sender.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { JobKind, JobNoun, PlanHead } from '../plan/plan-format.ts'
import type { JobFile } from '../store/job-file.ts'
import type { Journal } from '../store/journal.ts'
import type { JobProgress } from '../store/progress.ts'
import type { GoneAs, SendOutcome } from './send-outcome.ts'
import type { ReadRecords } from './sender-adapters.ts'
import type { AnsweredIds, Leases, Task } from './tasks.ts'

/** What a job uses from outside. */
export interface JobServices {
  /** The account that the sender and the lists belong to. */
  readonly account: string
  readonly sender: Sender
  readonly offers: Offers
  /** CrmError `not_supported` if the connector was drafted, and one of these verbs never proven. */
  requireProven(plan: Pick<PlanHead, 'job' | 'kind' | 'noun'>, verbs: readonly string[]): Promise<void>
  list(noun: JobNoun): AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  /** Records by id; undefined if no change of the job is unguarded, or the server has no request for it. */
  readonly read?: ReadRecords | undefined
  /** Eight hex digits that distinguish the API key from others, and reveal nothing about it. */
  readonly keyMark: string
  readonly clocks: LocalClocks
  readonly random: () => number
  readonly sleep: Timing['sleep']
  readonly signal: AbortSignal
  readonly pid: number
  readonly version: string
}

/** The verbs of a job of a drafted connector. */
export interface Unproven {
  readonly job: string
  readonly kind: JobKind
  readonly noun: JobNoun
  readonly verbs: readonly string[]
  /** The name or the file of the connector. */
  readonly connector: string
  readonly drafted: string
}

/** Properties of the server. */
export interface SendTerms extends Pick<ServerTerms, 'windowMs' | 'lifeMs' | 'isScopedByAccount'> {
  /** Whether the server is known to keep idempotency keys. */
  readonly keys: KeyKeeping
}

/** Terms from flags. */
export interface RunTerms {
  readonly concurrency: number | undefined
  /** The part of the rate limit to use. */
  readonly rateShare: number
  /** Stops after more failed rows than this: a number, or a part of the rows. */
  readonly maxErrors: { readonly rows: number } | { readonly part: number } | undefined
  readonly maxOutageMs: number
  /** What earlier jobs of the same command have learnt of the server; undefined: nothing. */
  readonly observed?: ObservedCapacity
  /** Rows in doubt are checked again. */
  readonly isDoubtReopened?: boolean
  /** `--no-recheck`: the records of an upsert are not read again. */
  readonly isRecheckLeftOut?: boolean
  /** Only settles what an earlier process may have sent, and then cancels the job. */
  readonly isRestDropped?: boolean
}

/** The clocks of this machine: the wall clock may be set, the steady clock stops while a laptop sleeps. */
interface LocalClocks {
  readonly wallMs: () => number
  readonly steadyMs: () => number
}

/** The server's time, from the Date header of its responses (RFC 9110 section 6.6.1), which has a precision of seconds. */
export class ServerClock {
  readonly #local: LocalClocks
  #serverMs: number
  #wallMs: number
  #steadyMs: number

  /** Until the first response, the server's time is assumed to equal ours. */
  constructor(local: LocalClocks) {
    this.#local = local
    this.#wallMs = local.wallMs()
    this.#steadyMs = local.steadyMs()
    this.#serverMs = this.#wallMs
  }

  learn(headers: IncomingHttpHeaders | undefined): void {
    const secondMs = Date.parse(headers?.date ?? '')
    if (Number.isNaN(secondMs)) return
    const estimateMs = this.nowMs()
    // Within the second that it states, the estimate is the better one.
    this.#serverMs = estimateMs >= secondMs && estimateMs < secondMs + 1000 ? estimateMs : secondMs
    this.#wallMs = this.#local.wallMs()
    this.#steadyMs = this.#local.steadyMs()
  }

  /** Never later than the true time, so leases seem older and their windows shorter. */
  nowMs(): number {
    return Math.floor(this.#serverMs + this.#local.steadyMs() - this.#steadyMs)
  }

  /** Never earlier than the true time, unless the wall clock was set back while the machine slept. */
  latestMs(): number {
    return Math.max(this.nowMs(), this.#serverMs + this.#local.wallMs() - this.#wallMs) + 1000
  }
}

/** A job that is being sent. */
export interface SendingJob {
  readonly plan: JobFile
  readonly progress: JobProgress
  readonly journal: Journal
  readonly leases: Leases
  readonly services: JobServices
  readonly terms: RunTerms & SendTerms
  /** That of the services, with what the plan asks for beside its requests. */
  readonly sender: Sender
  readonly limiter: RateLimiter
  readonly clock: ServerClock
  readonly hooks: DispatchHooks
  /** A create whose response has one of these ids is in doubt; undefined for fixtures, which keep neither of two records. */
  readonly answeredIds: AnsweredIds | undefined
  /** Stops after more failed rows than this. */
  readonly maxFailed: number
  /** When this process started, by the steady clock; earlier processes sent before. */
  readonly startedMs: number
}

export interface DispatchHooks {
  /** Called before each request; what it throws stops the job, and nothing more is sent. */
  beforeSend?(): void
  onEnd(task: Task, sendOutcome: SendOutcome): void
  /** Called when sending pauses, and with undefined when it continues. */
  onPause(pause: { readonly why: string; readonly untilMs: number | undefined } | undefined): void
}

export type Stop =
  | { readonly why: 'interrupted' }
  | { readonly why: 'refused'; readonly failure: Failure }
  /** An answer is not what the connector describes. */
  | { readonly why: 'contradicted'; readonly failure: Failure }
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
  /** Those that wait for an operation that is not settled. */
  readonly held: readonly Task[]
}
