import type { Api } from '../../api/api.ts'
import type { Env } from '../../core/streams.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { State } from '../state.ts'
import type { Store } from '../store.ts'
import { type Commit, createCommit } from './commit.ts'
import { createDeletions, type Deletions } from './deletions.ts'
import { createSending, type EventSenders, type Sending } from './event-sending.ts'
import { createEvents, type Events } from './events.ts'
import { createHistory, type History } from './history.ts'
import { createJobList, type JobList } from './job-list.ts'
import { createLiveEvents, type LiveEvents } from './live-events.ts'
import { createLists, type Lists } from './loading.ts'
import { createNotices, type Notices } from './notices.ts'
import { createWrites, type Writes } from './writes.ts'

/** What goes on behind the screens, and lives on when they change. */
export interface Work {
  readonly notices: Notices
  readonly lists: Lists
  readonly deletions: Deletions
  readonly history: History
  readonly writes: Writes
  readonly commit: Commit
  readonly events: Events
  readonly sending: Sending
  readonly jobs: JobList
}

export interface WorkWorld {
  /** Rejects with a CrmError where there is no server, or no key to it: what needs one says so. */
  readonly openApi: () => Promise<Api>
  readonly env: Env
  readonly now: () => number
  /** Bulk work at the target of the screens. */
  readonly openJobs: () => Promise<Jobs>
  /** Undefined: events are those of the log that `crm listen` keeps. */
  readonly live: LiveEvents | undefined
  readonly senders: EventSenders
}

export function createWork(store: Store<State>, world: WorkWorld): Work {
  const { openApi, env, now, openJobs, live, senders } = world
  const notices = createNotices(store, now)
  const history = createHistory()
  const writes = createWrites({ store, openApi, notices, history })
  return {
    notices,
    history,
    writes,
    lists: createLists(store, openApi, notices),
    deletions: createDeletions(store, openApi, notices),
    commit: createCommit({ store, writes, notices, openJobs }),
    events: live ? createLiveEvents(store, live) : createEvents(store, env, notices),
    sending: createSending(senders, notices),
    jobs: createJobList(store, openJobs, notices),
  }
}
