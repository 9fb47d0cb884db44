import type { Api, Page } from '../../api/api.ts'
import type { ListState, Loading } from '../list/list-state.ts'
import { takePage } from '../list/list-state.ts'
import { SEARCHED } from '../screens.ts'
import { type State, withList } from '../state.ts'
import type { Store } from '../store.ts'
import type { Notices } from './notices.ts'

export type ServerList = 'contacts' | 'deals'

export interface Lists {
  /** One more page, unless one is under way or there is none. */
  more(name: ServerList): Promise<void>
  /** To the end, page by page; Esc stops it. */
  all(name: ServerList): Promise<void>
  /** From the start; the rows that are there stay until the first page has come. */
  reload(name: ServerList): Promise<void>
  /** False when nothing was under way. */
  cancel(): boolean
}

type ListQuery = Parameters<Api[ServerList]['list']>[0]

interface Run {
  readonly pages: AsyncIterator<Page>
  readonly controller: AbortController
}

/** A wait shorter than this is not worth a word on the screen. */
const SLOW_MS = 200

export function createLists(store: Store<State>, openApi: () => Promise<Api>, notices: Notices): Lists {
  const runs = new Map<ServerList, Run>()
  const change = (name: ServerList, part: Partial<ListState>) =>
    store.update((state) => withList(state, name, (list) => ({ ...list, ...part })))

  /** The client is loaded for the first page, behind the first frame. */
  async function* pagesOf(name: ServerList, query: ListQuery): AsyncGenerator<Page> {
    yield* (await openApi())[name].list(query)
  }

  /** The iterator is kept between pages: it sees cursors that repeat. */
  function runOf(name: ServerList): Run {
    const known = runs.get(name)
    if (known) return known
    const { nextCursor, serverFilters, isStale } = store.get().lists[name]
    const controller = new AbortController()
    const query = { limit: undefined, cursor: isStale ? undefined : nextCursor, filters: serverFilters }
    const pages = pagesOf(name, { ...query, signal: controller.signal })
    const run = { pages, controller }
    runs.set(name, run)
    return run
  }

  async function loadPage(name: ServerList): Promise<boolean> {
    const run = runOf(name)
    try {
      const { value, done } = await run.pages.next()
      // One that was cancelled meanwhile has nothing to say any more.
      if (runs.get(name) !== run) return false
      const { items, nextCursor }: Page = done ? { items: [], nextCursor: undefined } : value
      store.update((state) =>
        withList(state, name, (list) => takePage(list, { items, nextCursor, searched: SEARCHED[name] })),
      )
      return nextCursor !== undefined
    } catch (error) {
      if (runs.get(name) !== run) return false
      runs.delete(name)
      change(name, { failure: error instanceof Error ? error.message : String(error) })
      notices.problem(error, '')
      return false
    }
  }

  async function load(name: ServerList, loading: Loading, isEnough: () => boolean): Promise<void> {
    const { isComplete, isStale, loading: underWay } = store.get().lists[name]
    if (underWay !== 'idle' || (isComplete && !isStale)) return
    change(name, { loading, failure: undefined })
    const slow = setTimeout(() => store.update((state) => ({ ...state, isSlow: true })), SLOW_MS)
    const run = runOf(name)
    try {
      while ((await loadPage(name)) && !isEnough()) {}
    } finally {
      clearTimeout(slow)
      const isLast = runs.get(name) === run || !runs.has(name)
      if (isLast) change(name, { loading: 'idle' })
      store.update((state) => (state.isSlow ? { ...state, isSlow: false } : state))
    }
  }

  function stop(name: ServerList): boolean {
    const run = runs.get(name)
    runs.delete(name)
    if (!run || store.get().lists[name].loading === 'idle') return false
    run.controller.abort()
    change(name, { loading: 'idle' })
    return true
  }

  return {
    more: (name) => load(name, 'page', () => true),
    all: (name) => load(name, 'all', () => false),
    reload: async (name) => {
      stop(name)
      change(name, { isStale: true })
      await load(name, 'page', () => true)
    },
    cancel: () => [stop('contacts'), stop('deals')].some((hasStopped) => hasStopped),
  }
}
