import type { Api } from '../../api/api.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Env } from '../../core/streams.ts'
import type { ForwardResult, ListenEvent } from '../../core/webhook-events.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { KeptChanges } from '../../settings/kept-changes.ts'
import type { ServerList } from '../screens.ts'
import type { State, StateStore } from '../state.ts'
import type { DoneCommands } from './done-commands.ts'
import type { Notices } from './notices.ts'
import type { UnderWay } from './under-way.ts'

export type LiveEvents = { readonly url: string; onEvents(take: (listenEvent: ListenEvent) => void): void }

/** Send events; throw a CrmError for an event that cannot be signed, and for an invalid address. */
export interface EventSenders {
  /** Sends a kept event again, with a new signature and the same id. */
  replay(id: string, to: string): Promise<ForwardResult>
  /** Sends a synthetic event: `contact.created name=Ada`. */
  trigger(name: string, members: readonly string[], to: string): Promise<ForwardResult>
}

export interface BackgroundWorld {
  /** Rejects with a CrmError without a server, or without a key for it. */
  readonly openApi: () => Promise<Api>
  readonly env: Env
  readonly now: () => number
  readonly openJobs: () => Promise<Jobs>
  /** Undefined: events are read from the log of `crm listen`. */
  readonly live: LiveEvents | undefined
  readonly senders: EventSenders
  /** The changes kept for the next start; undefined without a server. */
  readonly changes: KeptChanges | undefined
  /** Finds records by their ids; an id without a record is missing in the result. */
  readonly findRecords: (list: ServerList, ids: readonly string[]) => Promise<ReadonlyMap<string, CrmRecord>>
  /** Aborted when the program is stopped. */
  readonly signal: AbortSignal
  /** How often the shown list is read again; undefined: never. */
  readonly refreshEveryMs: number | undefined
}

export interface Parts extends BackgroundWorld {
  readonly store: StateStore<State>
  readonly notices: Notices
  readonly commands: DoneCommands
  readonly underWay: UnderWay
  /** Aborts requests that may finish after the program was stopped. */
  readonly late: AbortSignal
}
