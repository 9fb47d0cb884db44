import type { DealUpdates } from '../../api/graphql/graphql-api.ts'
import type { StatedRate } from '../../api/operations.ts'
import type { ImportableResource, PluralOf } from '../../core/resources/registry.ts'
import type { FormatSummary } from '../input/row.ts'
import type { ImportTerms } from './import-terms.ts'

/** The resource that a job creates or changes. */
export type Noun = PluralOf<ImportableResource>

export const JOB_KINDS = ['import', 'update', 'delete', 'retry', 'undo', 'fixtures'] as const

export type JobKind = (typeof JOB_KINDS)[number]

export interface PlanInput {
  readonly name: string
  readonly sha256: string
  readonly size: number
  /** How it was read, under its name in the file of the plan. */
  readonly verdict: FormatSummary
}

/** The first line of a plan: what the job is, which never changes. */
export interface PlanHead {
  readonly crm_plan: 1
  readonly job: string
  readonly kind: JobKind
  readonly noun: Noun
  readonly run: string
  /** The server that it may be sent to; not an API key, which may be replaced. */
  readonly account: string
  /** The words after `crm`. */
  readonly command: readonly string[]
  readonly input: PlanInput | undefined
  /** The job that this one undoes or retries. */
  readonly of: string | undefined
  /** How deals are changed; undefined for jobs that change none. */
  readonly updates?: DealUpdates
  /** Of a job that read a file; undefined in plans of earlier versions. */
  readonly terms?: ImportTerms
  readonly made_at: number
  readonly version: string
}

export interface PlanCounts {
  /** Of the input, or selected records; the counts below add up to it. */
  readonly rows: number
  readonly create: number
  readonly update: number
  readonly delete: number
  /** Rows that fail without a request; undefined in plans of earlier versions. */
  readonly fail?: number
  /** Rows that would change nothing. */
  readonly unchanged: number
  /** Rows that an earlier job of the run has done, or that match no record. */
  readonly skipped: number
}

/** The last line. */
export interface PlanEnd extends PlanCounts {
  readonly end: true
  /** Over all bytes before this line, in hex. */
  readonly sha256: string
}

/** The number of operations of a plan. */
export function operationCount({ create, update, delete: remove, fail = 0 }: PlanCounts): number {
  return create + update + remove + fail
}

/** The cost of sending a plan, as far as the limit of the server is known. */
export interface Forecast {
  readonly requests: number
  /** Undefined when no answer has a limit. */
  readonly rate: StatedRate | undefined
  /** The least time that the limit leaves for it; undefined when limit or window are unknown. */
  readonly atLeastMs: number | undefined
}

/** Computed from the pace of sending: `share` of each window, and what remains of the current one above the rest. */
export function forecast(requests: number, rate: StatedRate | undefined, share: number): Forecast {
  if (rate?.limit === undefined || rate.windowMs === undefined) return { requests, rate, atLeastMs: undefined }
  const { limit, windowMs, remaining, resetInMs } = rate
  const own = Math.max(1, Math.floor(limit * share))
  const free = Math.max(0, Math.floor(Math.min(remaining, limit) - limit * (1 - share)))
  if (requests <= free) return { requests, rate, atLeastMs: 0 }
  const windows = Math.ceil((requests - free) / own)
  return { requests, rate, atLeastMs: resetInMs + (windows - 1) * windowMs }
}
