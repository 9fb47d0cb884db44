import type { Timing } from '../../api/transport/timing.ts'
import type { KeyKeeping } from '../../api/writes/key-keeping.ts'
import type { Sender } from '../../api/writes/sender.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Noun } from '../plan/plan-head.ts'
import type { LocalClocks } from './server-clock.ts'

/** What a job uses from outside. */
export interface JobServices {
  /** The account that the sender and the lists belong to. */
  readonly account: string
  readonly sender: Sender
  list(noun: Noun): AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  /** Eight hex digits that distinguish the API key from others, and reveal nothing about it. */
  readonly keyMark: string
  readonly clocks: LocalClocks
  readonly random: () => number
  readonly sleep: Timing['sleep']
  /** The name of the list parameter for the page size; undefined sends none. */
  readonly limitParam: string | undefined
  readonly signal: AbortSignal
  readonly pid: number
  readonly version: string
}

/** Properties of the server. */
export interface ServerTerms {
  /** How long the server keeps idempotency keys. */
  readonly windowMs: number
  /** The longest time that a request may take, in transit and in the server. */
  readonly lifeMs: number
  /** Whether another API key of the account finds the same idempotency keys. */
  readonly isScopedByAccount: boolean
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
  /** Rows in doubt are checked again. */
  readonly isDoubtReopened?: boolean
  /** `--no-recheck`: the records of an upsert are not read again. */
  readonly isRecheckLeftOut?: boolean
  /** Only settles what an earlier process may have sent, and then cancels the job. */
  readonly isRestDropped?: boolean
}
