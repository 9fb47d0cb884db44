import type { Api } from '../../api/api.ts'
import type { Env } from '../../core/streams.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { KeptChanges } from '../../settings/kept-changes.ts'
import type { State, StateStore } from '../state.ts'
import { createDoneCommands, type DoneCommands } from './done-commands.ts'
import type { RefusedText } from './edit-record.ts'
import {
  createEvents,
  createLiveEvents,
  createSending,
  type EventSenders,
  type Events,
  type LiveEvents,
  type Sending,
} from './events.ts'
import { createFindConflicts, type FindConflicts, type FindRecords } from './find-conflicts.ts'
import { createFollowing, type Following } from './following.ts'
import { createJobList, type JobList } from './job-list.ts'
import { createKept, type Kept } from './kept.ts'
import { createLists, createSearch, type Lists, type Search } from './loading.ts'
import { createNotices, type Notices } from './notices.ts'
import { createSendChanges, type SendChanges } from './send-changes.ts'
import { createShellCommands, type ShellCommands } from './shell.ts'
import { createUnderWay, type UnderWay } from './under-way.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'
import {
  createPlanReverse,
  createUndoHistory,
  createWrites,
  type PlanReverse,
  type UndoHistory,
  type Writes,
} from './writes.ts'

/** The work in the background, independent of the open screen. */
export interface Background {
  readonly notices: Notices
  readonly lists: Lists
  readonly search: Search
  readonly kept: Kept
  readonly history: UndoHistory
  readonly commands: DoneCommands
  /** Texts of the editor that were not saved, by list and id. */
  readonly drafts: Map<string, RefusedText>
  readonly underWay: UnderWay
  readonly writes: Writes
  readonly findConflicts: FindConflicts
  readonly findRecords: FindRecords
  readonly sendChanges: SendChanges
  readonly planReverse: PlanReverse
  readonly events: Events
  readonly sending: Sending
  readonly jobs: JobList
  readonly webhooks: Webhooks
  readonly shell: ShellCommands
  readonly following: Following
}

export interface BackgroundWorld {
  /** Rejects with a CrmError without a server, or without a key for it. */
  readonly openApi: () => Promise<Api>
  readonly env: Env
  readonly now: () => number
  /** Bulk work at the target of the screens. */
  readonly openJobs: () => Promise<Jobs>
  /** Undefined: events are read from the log of `crm listen`. */
  readonly live: LiveEvents | undefined
  readonly senders: EventSenders
  /** The changes kept for the next start; undefined without a server. */
  readonly changes: KeptChanges | undefined
  readonly findRecords: FindRecords
  /** Aborted when the program is stopped. */
  readonly signal: AbortSignal
  /** How often the shown list is read again; undefined: never. */
  readonly refreshEveryMs: number | undefined
}

export function createBackground(store: StateStore<State>, world: BackgroundWorld): Background {
  const { openApi, env, now, openJobs, live, senders, changes, findRecords, signal, refreshEveryMs } = world
  const notices = createNotices(store, now, signal)
  const history = createUndoHistory()
  const commands = createDoneCommands(store, now)
  const lists = createLists(store, openApi, notices)
  const late = lateSignal(signal)
  const underWay = createUnderWay(store)
  const writes = createWrites({ store, openApi, notices, history, commands, underWay, late })
  const findConflicts = createFindConflicts({ store, notices, findRecords })
  const jobs = createJobList({ store, lists, findRecords, openJobs, notices, commands, underWay, signal })
  return {
    notices,
    commands,
    history,
    drafts: new Map(),
    underWay,
    writes,
    lists,
    search: createSearch({ store, openApi, lists, notices, signal }),
    findConflicts,
    findRecords,
    kept: createKept({ store, notices, changes, findRecords }),
    sendChanges: createSendChanges({
      ...{ store, notices, commands, openJobs },
      ...{ underWay, history, findConflicts, signal },
    }),
    planReverse: createPlanReverse({ store, notices, history, planUndo: jobs.planUndo }),
    events: live ? createLiveEvents(store, live) : createEvents(store, env, notices),
    sending: createSending({ senders, notices, commands, underWay }),
    webhooks: createWebhooks({ store, openApi, notices, underWay, commands, signal, late }),
    shell: createShellCommands(store, env),
    following: createFollowing({ store, openApi, now, everyMs: refreshEveryMs }),
    jobs,
  }
}

/** Longer than most requests take, and shorter than the time between SIGTERM and SIGKILL of service managers. */
const LAST_ANSWERS_MS = 8_000

/** Aborted LAST_ANSWERS_MS after the other signal. */
function lateSignal(signal: AbortSignal): AbortSignal {
  const late = new AbortController()
  signal.addEventListener('abort', () => void setTimeout(() => late.abort(signal.reason), LAST_ANSWERS_MS).unref())
  return late.signal
}
