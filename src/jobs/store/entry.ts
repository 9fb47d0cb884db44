/** What happens to a job; docs/job-format.md describes each member. Times are of the server's clock. */
export type Entry =
  | OpenEntry
  | LeaseEntry
  | AgainEntry
  | DoneEntry
  | FailedEntry
  | DoubtEntry
  | BackEntry
  | PauseEntry
  | EndEntry
  | LastEntry

export interface OpenEntry {
  readonly t: 'open'
  readonly time: number
  readonly wall: number
  readonly pid: number
  readonly version: string
  readonly key: string
  readonly window: number
  readonly life: number
}

export interface LeaseEntry {
  readonly t: 'lease'
  readonly from: number
  readonly to: number
  readonly time: number
}

export interface AgainEntry {
  readonly t: 'again'
  readonly op: number
  readonly gen: number
  readonly time: number
}

/**
 * `o`: replayed from a request of another job; `u`: a create that changed an existing record; `m`: an upsert that was repeated, and
 * changed the record that it had made; `e`: a create whose response shows an existing record.
 */
export type ResultFlag = 'a' | 'g' | 'r' | 'o' | 'u' | 'm' | 'e'

/** Marks an answer with other values than were sent: by the text of the first such row of the job; 1 for all others. */
export type OtherMark = string | 1

/** Operation, status, id, flags, mark. */
export type Result = readonly [
  op: number,
  status: number,
  id: string | null,
  flag?: ResultFlag | null,
  other?: OtherMark,
]

export interface DoneEntry {
  readonly t: 'done'
  readonly time: number
  readonly r: readonly Result[]
}

export interface FailedEntry {
  readonly t: 'failed'
  readonly op: number
  readonly status: number | null
  readonly code: string
  readonly field: string | null
  readonly reason: string
  readonly request: string | null
}

export interface DoubtEntry {
  readonly t: 'doubt'
  readonly op: number
  readonly why: string
  /** The create was answered with a 2xx, so it is never sent again. */
  readonly taken?: true
}

/** Ranges of operations that were leased and not sent. */
export interface BackEntry {
  readonly t: 'back'
  readonly ops: readonly (readonly [from: number, to: number])[]
}

export interface PauseEntry {
  readonly t: 'pause'
  readonly time: number
  readonly why: string
}

export const END_STATES = ['finished', 'cancelled'] as const

export interface EndEntry {
  readonly t: 'end'
  readonly time: number
  readonly state: (typeof END_STATES)[number]
  readonly done: number
  readonly failed: number
  readonly doubt: number
  readonly unsent: number
}

/** When the last results came. */
export interface LastEntry {
  readonly t: 'last'
  readonly time: number
}
