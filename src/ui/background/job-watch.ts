import { CrmError } from '../../core/errors.ts'
import { isSameJson } from '../../core/json.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { takePage } from '../list/list-state.ts'
import { searchedIn } from '../screens/all-screens.tsx'
import { type State, type StateStore, withList } from '../state.ts'
import type { ReadJob } from './job-row.ts'
import { createJobRows } from './job-rows.ts'
import type { Notices } from './notices.ts'

/** The rows of the Jobs screen. */
export interface JobWatch {
  look(): Promise<void>
  /** Looks each second for as long as the screen is open. */
  watch(): void
  /** Shows the jobs of other servers, too, or no longer. */
  toggleOthers(): Promise<void>
  close(): void
}

/** How often the jobs are looked at. */
const LOOK_EVERY_MS = 1_000

interface Parts {
  readonly store: StateStore<State>
  readonly openJobs: () => Promise<Jobs>
  readonly notices: Notices
  /** Aborted when the program is stopped. */
  readonly signal: AbortSignal
}

export function createJobWatch({ store, openJobs, notices, signal }: Parts): JobWatch {
  const rows = createJobRows()
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    try {
      const jobs = await openJobs()
      showJobs(store, await rows.read(jobs), await accountOf(jobs))
    } catch (error) {
      close()
      notices.problem(error, '')
    }
  }

  function close(): void {
    clearTimeout(timer)
    timer = undefined
  }

  async function watch(): Promise<void> {
    close()
    await look()
    const again = () => {
      timer = undefined
      if (store.get().screen === 'jobs') void watch()
    }
    if (!signal.aborted) timer ??= setTimeout(again, LOOK_EVERY_MS).unref()
  }

  return {
    look,
    watch: () => void watch(),
    toggleOthers: () => {
      store.update((state) => ({ ...state, jobs: { ...state.jobs, isOfAll: !state.jobs.isOfAll } }))
      return look()
    },
    close,
  }
}

/** Jobs of other servers are counted, and shown with their server on request. Nothing is drawn when nothing has changed. */
function showJobs(store: StateStore<State>, all: readonly ReadJob[], own: string | undefined): void {
  const isOther = ({ account }: ReadJob) => own !== undefined && account !== undefined && account !== own
  const { isOfAll } = store.get().jobs
  const items = all
    .filter((job) => isOfAll || !isOther(job))
    .map((job) => (isOther(job) ? { ...job.row, what: `${job.row.what} at ${job.account}` } : job.row))
  const others = all.filter(isOther).length
  const before = store.get().lists.jobs.rows
  const isSame = before.length === items.length && isSameJson([...before], items)
  store.update((state) => {
    if (isSame && state.lists.jobs.isComplete && state.jobs.others === others) return state
    const page = { items, nextCursor: undefined, searched: searchedIn('jobs') }
    const next = withList(state, 'jobs', (list) => {
      const taken = takePage({ ...list, isStale: true }, page)
      // The screen opens with the newest one.
      return state.screen === 'jobs' ? taken : { ...taken, cursor: 0, top: 0 }
    })
    return { ...next, jobs: { ...state.jobs, others } }
  })
}

/** Undefined where no server is known: then all jobs are shown. */
async function accountOf(jobs: Jobs): Promise<string | undefined> {
  try {
    return await jobs.account()
  } catch (error) {
    if (error instanceof CrmError) return undefined
    throw error
  }
}
