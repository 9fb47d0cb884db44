import type { Timing } from '../../api/transport/timing.ts'
import type { KeyKeeping } from '../../api/writes/key-keeping.ts'
import type { Sender } from '../../api/writes/sender.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Noun } from '../plan/plan-head.ts'
import type { LocalClocks } from './server-clock.ts'

/** The world of a job. */
export interface JobServices {
  /** The account that the sender and the lists belong to. */
  readonly account: string
  readonly sender: Sender
  list(noun: Noun): AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  /** Eight hex digits that tell the API key from another one, and nothing of it. */
  readonly keyMark: string
  readonly clocks: LocalClocks
  readonly random: () => number
  readonly sleep: Timing['sleep']
  /** Of the list parameter for the size of a page; undefined sends none. */
  readonly limitParam: string | undefined
  readonly signal: AbortSignal
  readonly pid: number
  readonly version: string
}

/** What is known of the server. */
export interface ServerTerms {
  /** How long the server keeps idempotency keys. */
  readonly windowMs: number
  /** The longest a request may live, on the way and in the server. */
  readonly lifeMs: number
  /** Whether another API key of the account finds the same idempotency keys. */
  readonly isScopedByAccount: boolean
  /** Whether the server is known to keep idempotency keys. */
  readonly keys: KeyKeeping
}

/** What was asked for. */
export interface RunTerms {
  readonly concurrency: number | undefined
  /** Of the rate that the server allows. */
  readonly rateShare: number
  /** Stops behind so many failed rows: a number, or a part of the rows. */
  readonly maxErrors: { readonly rows: number } | { readonly part: number } | undefined
  readonly maxOutageMs: number
  /** Rows that are in doubt are asked about once more. */
  readonly isDoubtReopened?: boolean
  /** `--no-recheck`: the records of an upsert are not read again. */
  readonly isRecheckLeftOut?: boolean
  /** Only what an earlier process may have sent comes to its end, and then the job is cancelled. */
  readonly isRestDropped?: boolean
}
