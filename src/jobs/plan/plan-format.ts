import type { Buffer } from 'node:buffer'
import type { Api } from '../../api/api.ts'
import type { StatedRate } from '../../api/operations.ts'
import type { Asked } from '../../core/asked-members.ts'
import { type ImportableResource, type PluralOf, resourceOf } from '../../core/resources/registry.ts'
import type { UndoPart } from '../../core/undo-part.ts'
import type { FindingCode, FormatSummary, RowOptions, RowPlace } from '../input/row.ts'
import type { DealUpdates } from '../send/deal-mutations.ts'

/** The resource that a job creates or changes. */
export type JobNoun = PluralOf<ImportableResource>

const JOB_KINDS = ['import', 'update', 'delete', 'retry', 'undo', 'fixtures', 'merge', 'migrate', 'repoint'] as const

export type JobKind = (typeof JOB_KINDS)[number]

export interface PlanInput {
  readonly name: string
  readonly sha256: string
  readonly size: number
  /** How it was read, under its name in the file of the plan. */
  readonly verdict: FormatSummary
}

/** The first line of a plan: what the job is, which never changes. */
export interface PlanHead extends Asked, UndoPart {
  readonly crm_plan: 1
  readonly job: string
  readonly kind: JobKind
  readonly noun: JobNoun
  readonly run: string
  /** The server that it may be sent to; not an API key, which may be replaced. */
  readonly account: string
  /** The words after `crm`. */
  readonly command: readonly string[]
  readonly input: PlanInput | undefined
  /** The job that this one undoes or retries. */
  readonly of: string | undefined
  /** Its operations wait for others (`after`), so an undo reverts them in reverse order. */
  readonly ordered?: true
  /** Planning compared its rows with every record by these members; absent: it did not, or a plan of an earlier version. */
  readonly compared?: readonly string[]
  /** Of a merge: the jobs that re-point deals to its winners. They are done before it, and an undo of it undoes them after it. */
  readonly needs?: readonly string[]
  /** Of jobs that one command plans and sends one after the other: the id of the first, and the place of this one, from 1. */
  readonly chain?: { readonly first: string; readonly place: number }
  /** Of a job of an earlier version: the mutation that changes its deals. */
  readonly updates?: DealUpdates
  /** The field by which the server itself decides whether a row of the job creates or changes a record. */
  readonly upsert?: string
  /** Of a job that read a file; undefined in plans of earlier versions. */
  readonly terms?: ImportTerms
  /** The absolute path of `--rejects`. */
  readonly rejects?: string
  /** Of a job that `apply` made: the checksum of the plan in the file. */
  readonly applied?: string
  readonly made_at: number
  readonly version: string
}

/** `--duplicates`: what becomes of rows that have the same key. */
export type Duplicates = 'error' | 'first' | 'last' | 'merge'

/** How a file became operations; a retry applies the same terms to its corrected rows. */
export interface ImportTerms {
  readonly as: 'import' | 'update' | 'delete'
  readonly match: { readonly names: readonly string[]; readonly mode: 'create' | 'upsert' | 'update' }
  /** Undefined: an error. */
  readonly duplicates?: Exclude<Duplicates, 'error'>
  readonly read: ReadTerms
}

/** Without the format: a failed-rows file has an extension of its own. */
type ReadTerms = Pick<
  RowOptions,
  'map' | 'nullToken' | 'compute' | 'encoding' | 'delimiter' | 'quote' | 'isCsvSafe' | 'required'
> &
  Partial<Pick<RowOptions, 'isTrimmed' | 'isEmptyCleared' | 'isNewAllowed' | 'decimal' | 'dateOrder'>>

export interface PlanCounts {
  /** Of the input, or selected records; the counts below add up to it. */
  readonly rows: number
  readonly create: number
  readonly update: number
  readonly delete: number
  /** Rows that fail without a request; undefined in plans of earlier versions. */
  readonly fail?: number
  /** Those of them that have errors (`--rejects`); undefined: none. */
  readonly rejected?: number
  /** Changes and deletions that no version guards; undefined: none, or a plan of an earlier version. */
  readonly unguarded?: number
  /** Rows that would change nothing. */
  readonly unchanged: number
  /** Rows that an earlier job of the run has done, or that match no record. */
  readonly skipped: number
  /** Those of them that an earlier job has done; undefined: none, or a plan of an earlier version. */
  readonly already?: number
}

/** What a job has at its end. */
export interface JobTotals extends PlanCounts {
  readonly end: true
  /** Of a job of an earlier version: the checksum of its plan. */
  readonly sha256?: string
}

/** The last line of a plan in a file. */
export interface PlanEnd extends JobTotals {
  /** Over all bytes before this line, in hex. */
  readonly sha256: string
}

/** The number of operations of a plan. */
export function operationCount({ create, update, delete: remove, fail = 0 }: PlanCounts): number {
  return create + update + remove + fail
}

export const METHODS = { create: 'POST', update: 'PATCH', delete: 'DELETE' } as const

export type OperationKind = keyof typeof METHODS

/** Why a row fails without a request. */
export interface KnownFailure {
  readonly code: 'ambiguous_match' | FindingCode
  readonly field: string | null
  readonly reason: string
}

/** The operation of one row, without its body. docs/job-format.md describes each member. */
export interface OperationHead {
  /** `fail` is never sent; it ends with the failure in `failed`. */
  readonly do: OperationKind | 'fail'
  readonly path: string
  /** Of the record that is changed or deleted. */
  readonly id?: string
  readonly line?: number
  /** Byte offset and length of the row in the input. */
  readonly at?: readonly [number, number]
  /** The rows that were merged into this one. */
  readonly also?: readonly RowPlace[]
  readonly digest: string
  readonly n: number
  /** The first generation; absent: 0. */
  readonly gen?: number
  /** When an earlier job of the run may have sent it first, by the server's clock. */
  readonly since?: number
  /** Whether the response to that request was a 2xx that does not show the record: it is never sent again. */
  readonly taken?: true
  readonly before?: string
  /** What it replaces, as JSON, in a saved plan, and where no version guards it; a text, so that no member of it is taken for the body. */
  readonly was?: string
  /** Of an undo: the update restores the record, which is deleted. */
  readonly restores?: true
  readonly ifMatch?: string
  /** The operation that must be done before this one is sent; if it is not, this one fails. */
  readonly after?: number
  /** Of a migration: the id of the record on the server that it comes from. */
  readonly source?: string
  /** Of a retry: the operation of the job that it retries. */
  readonly of?: number
  readonly failed?: KnownFailure
}

/** An operation to be added to a plan. */
export interface NewOperation {
  readonly head: OperationHead
  /** Canonical JSON; undefined for what has no body. */
  readonly body: string | undefined
}

/** An operation read from a plan. */
export interface PlanOperation {
  /** From 0, without gaps. */
  readonly op: number
  readonly head: OperationHead
  readonly body: Buffer | null
}

/** The kind of an operation to send. Throws an Error for `fail`, which is never sent. */
export function sentKind({ do: kind }: OperationHead): OperationKind {
  if (kind === 'fail') throw new Error('an operation that fails without a request was to be sent')
  return kind
}

/** The cost of sending a plan, as far as the limit of the server is known. */
export interface Forecast {
  readonly requests: number
  /** Undefined when no answer has a limit. */
  readonly rate: StatedRate | undefined
  /** The least time that the limit leaves for it; undefined when limit or window are unknown. */
  readonly atLeastMs: number | undefined
  /** The fields whose links take further requests. */
  readonly linkFields?: readonly string[]
}

/** Computed from the pace of sending: `share` of each window, and what remains of the current one above the rest. */
function forecast(requests: number, rate: StatedRate | undefined, share: number): Forecast {
  if (rate?.limit === undefined || rate.windowMs === undefined) return { requests, rate, atLeastMs: undefined }
  const { limit, windowMs, remaining, resetInMs } = rate
  const own = Math.max(1, Math.floor(limit * share))
  const free = Math.max(0, Math.floor(Math.min(remaining, limit) - limit * (1 - share)))
  if (requests <= free) return { requests, rate, atLeastMs: 0 }
  const windows = Math.ceil((requests - free) / own)
  return { requests, rate, atLeastMs: resetInMs + (windows - 1) * windowMs }
}

/** What the number of requests of a job depends on. */
export interface Sendable {
  readonly head: Pick<PlanHead, 'noun' | 'upsert' | 'terms'>
  readonly counts: Pick<PlanCounts, 'create' | 'update' | 'delete'>
}

/** The least number of requests, with rows in batches where the server takes many at once. */
function requestCount(
  { head, counts }: Sendable,
  { connector, terms: { idempotency } }: Pick<Api, 'connector' | 'terms'>,
): number {
  const { noun, upsert, terms } = head
  const { batch = {}, parents } = connector.document.resources[resourceOf(noun)] ?? {}
  // A create that may turn out to be a change is sent alone, and so is one whose idempotency key may be kept, and a note.
  const isAlone = parents !== undefined || terms?.match.mode === 'upsert' || idempotency !== 'none'
  const create = upsert === undefined ? (isAlone ? undefined : batch.create) : batch.upsert
  const requests = (rows: number, { size } = { size: 1 }) => Math.ceil(rows / size)
  return requests(counts.create, create) + requests(counts.update, batch.update) + requests(counts.delete, batch.delete)
}

/** The requests of a job, and the least time that the last stated limit leaves for them. */
export function forecastOf(
  sendable: Sendable,
  api: Pick<Api, 'connector' | 'terms' | 'rate'>,
  share: number,
): Forecast {
  const { head, counts } = sendable
  // A plain create has its links in its own request.
  const isAfter = counts.update > 0 || head.upsert !== undefined
  const links = isAfter ? api.connector.document.resources[resourceOf(head.noun)]?.links : undefined
  return { ...forecast(requestCount(sendable, api), api.rate(), share), linkFields: Object.keys(links?.fields ?? {}) }
}

/** Removes undefined members, which would count as present. */
export function present<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: NonNullable<Members[Name]>
  }
}
