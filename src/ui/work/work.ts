import type { Api } from '../../api/api.ts'
import type { Env } from '../../core/streams.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { State } from '../state.ts'
import type { Store } from '../store.ts'
import { type Commit, createCommit } from './commit.ts'
import { createDeletions, type Deletions } from './deletions.ts'
import { createEvents, type Events } from './events.ts'
import { createHistory, type History } from './history.ts'
import { createJobList, type JobList } from './job-list.ts'
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
  readonly jobs: JobList
}

export interface WorkWorld {
  readonly api: Api
  readonly env: Env
  readonly now: () => number
  /** Bulk work at the target of the screens. */
  readonly openJobs: () => Promise<Jobs>
}

export function createWork(store: Store<State>, { api, env, now, openJobs }: WorkWorld): Work {
  const notices = createNotices(store, now)
  const history = createHistory()
  const writes = createWrites({ store, api, notices, history })
  return {
    notices,
    history,
    writes,
    lists: createLists(store, api, notices),
    deletions: createDeletions(store, api, notices),
    commit: createCommit({ store, writes, notices, openJobs }),
    events: createEvents(store, env, notices),
    jobs: createJobList(store, openJobs, notices),
  }
}
