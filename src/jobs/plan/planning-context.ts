import type { DealUpdates } from '../../api/graphql/graphql-api.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { InputStream } from '../../core/streams.ts'
import type { Noun } from './plan-head.ts'

/** What planning needs of the world. */
export interface PlanningContext {
  /** Of the jobs that were made before; it may be absent where nothing is to be kept. */
  readonly jobsFolder: string
  /** Where a new one is made. */
  readonly draftsFolder: string
  readonly account: string
  readonly stdin: () => InputStream
  readonly signal: AbortSignal
  readonly version: string
  /** The words behind `crm`. */
  readonly command: readonly string[]
  /** All records, a page at a time. */
  readonly list: (noun: Noun) => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  /** Records on a page of a list, when it is set. */
  readonly pageSize: number | undefined
  /** How the server changes deals; CrmError `not_supported` where it does not. */
  readonly dealUpdates: () => Promise<DealUpdates>
  /** So many more records of the list were read. */
  readonly onRead: (count: number) => void
  readonly nowMs: () => number
  /** Ends early, with an error, when the command is interrupted. */
  readonly sleep: (ms: number) => Promise<void>
  /** A line for people. */
  readonly note: (line: string) => void
}
