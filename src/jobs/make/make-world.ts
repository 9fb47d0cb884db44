import type { InputStream } from '../../core/streams.ts'

/** What planning needs of the world. */
export interface MakeWorld {
  readonly jobsFolder: string
  readonly account: string
  readonly stdin: () => InputStream
  readonly signal: AbortSignal
  readonly version: string
  /** The words behind `crm`. */
  readonly command: readonly string[]
  readonly nowMs: () => number
  /** A line for people. */
  readonly note: (line: string) => void
}
