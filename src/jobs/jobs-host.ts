import type { Api } from '../api/api.ts'
import type { HostTiming } from '../api/transport/timing.ts'
import type { Env, InputStream } from '../core/streams.ts'
import type { JobServer } from './send/run-on-server.ts'
import type { Unproven } from './send/services.ts'

/** What bulk work gets of the process and of its command. */
export interface JobsHost {
  readonly env: Env
  readonly stdin: () => InputStream
  readonly argv: readonly string[]
  readonly version: string
  readonly signal: AbortSignal
  readonly now: () => number
  /** Undefined: that of the system. */
  readonly timing: HostTiming | undefined
  readonly note: (line: string) => void
  /** A dry run: no job is created. */
  readonly isTrial: boolean
  /** For lists, which retry by themselves. */
  readonly api: () => Promise<Api>
  /** For writes, whose attempts are recorded in the journal. */
  readonly server: () => Promise<JobServer>
  /** CrmError `not_supported` if one of the verbs was never proven at this server. */
  readonly requireProven: (needed: Unproven) => Promise<void>
}
