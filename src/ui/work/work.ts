import type { Api } from '../../api/api.ts'
import type { State } from '../state.ts'
import type { Store } from '../store.ts'
import { createDeletions, type Deletions } from './deletions.ts'
import { createHistory, type History } from './history.ts'
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
}

export function createWork(store: Store<State>, api: Api, now: () => number): Work {
  const notices = createNotices(store, now)
  const history = createHistory()
  return {
    notices,
    lists: createLists(store, api, notices),
    deletions: createDeletions(store, api, notices),
    history,
    writes: createWrites({ store, api, notices, history }),
  }
}
