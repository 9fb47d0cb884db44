import { setTimeout as delay } from 'node:timers/promises'
import type { Api } from '../../api/api.ts'
import type { Page } from '../../api/operations.ts'
import { CrmError } from '../../core/errors.ts'
import { type CrmRecord, FIELDS, resourceOf } from '../../core/resources/registry.ts'
import {
  emptyList,
  type ListState,
  type LoadFailure,
  type Loading,
  MOST_ROWS,
  putRow,
  rowId,
  takePage,
} from '../list/list-state.ts'
import { searchedIn } from '../screens/all-screens.tsx'
import { type ServerList, serverLists } from '../screens.ts'
import { type State, type StateStore, withList } from '../state.ts'
import type { Parts } from './parts.ts'

/** A member with more values than this is one of names, and keeping them would cost more than it saves. */
const MOST_VALUES = 4_000

interface Run {
  readonly pages: AsyncIterator<Page>
  readonly controller: AbortController
  readonly shareTexts: (rows: readonly CrmRecord[]) => void
  held: CrmRecord[]
  /** The cursor after the held rows; undefined at the end of the list. */
  nextCursor: string | undefined
  shownAtMs: number
  timer: NodeJS.Timeout | undefined
}

/**
 * During a load of all rows pages are received faster than they can be read, and showing one copies the lists of up to a
 * hundred thousand rows: the garbage of these copies reached 100 MB.
 */
const SHOWN_EVERY_MS = 250
const MOST_HELD = 5_000
/** Between pages, for so long after a key: reading a page of 500 rows takes 5 to 20 ms. */
const GIVEN_WAY_MS = 25
const KEY_LASTS_MS = 250
/** A shorter wait is not shown. */
const SLOW_MS = 200

const FULL = `A sorted or filtered list holds at most ${MOST_ROWS} rows; crm LIST list --where searches all`

export function createLists({ store, openApi, notices }: Parts) {
  const runs = new Map<ServerList, Run>()
  const pace = createPace()
  const change = (name: ServerList, part: Partial<ListState>) =>
    store.update((state) => withList(state, name, (list) => ({ ...list, ...part })))

  /** The run, unless it has ended, failed or was cancelled. */
  async function loadPage(name: ServerList, run: Run): Promise<Run | undefined> {
    try {
      const { value, done } = await run.pages.next()
      if (runs.get(name) !== run) return undefined
      notices.recovered(name)
      const { items, nextCursor }: Page = done ? { items: [], nextCursor: undefined } : value
      run.shareTexts(items)
      run.held.push(...items)
      run.nextCursor = nextCursor
      if (!isHeldBack(run, store.get().lists[name])) showHeld(store, name, run)
      else run.timer ??= setTimeout(() => showLeft(store, name, run), SHOWN_EVERY_MS)
      return done ? undefined : run
    } catch (error) {
      if (runs.get(name) !== run) return undefined
      runs.delete(name)
      showLeft(store, name, run)
      change(name, { failure: failureOf(error) })
      notices.problem(error, '', name)
      return undefined
    }
  }

  async function load(name: ServerList, loading: Loading, isEnough: () => boolean): Promise<void> {
    if (hasNothingToLoad(store.get().lists[name], loading)) return
    const { isStale, nextCursor, rows } = store.get().lists[name]
    // Without a cursor, a new walk starts with the first page.
    const isRestarted = !runs.has(name) && nextCursor === undefined && rows.length > 0
    change(name, { loading, failure: undefined, isStale: isStale || isRestarted })
    const slow = setTimeout(() => store.update((state) => ({ ...state, isSlow: true })), SLOW_MS)
    // Kept between pages, because its iterator detects repeated cursors.
    const run = runs.get(name) ?? newRun(openApi, name, store.get().lists[name])
    runs.set(name, run)
    try {
      let at = await loadPage(name, run)
      while (at && !isEnough() && (await pace.wait(at, () => runs.get(name) === run))) at = await loadPage(name, run)
    } finally {
      clearTimeout(slow)
      if (runs.get(name) === run || !runs.has(name)) change(name, { loading: 'idle' })
      store.update((state) => (state.isSlow ? { ...state, isSlow: false } : state))
    }
  }

  function stop(name: ServerList): boolean {
    const run = runs.get(name)
    runs.delete(name)
    if (run) showLeft(store, name, run)
    if (!run || store.get().lists[name].loading === 'idle') return false
    run.controller.abort()
    change(name, { loading: 'idle' })
    return true
  }

  return {
    /** Loads one more page, unless one is being loaded or the list is complete. */
    more: (name: ServerList) => load(name, 'page', () => true),
    all: async (name: ServerList) => {
      await load(name, 'all', () => isFull(store.get().lists[name]))
      if (isFull(store.get().lists[name])) notices.wait(FULL.replace('LIST', name))
    },
    /** From the start; the present rows stay until the first page is received. */
    reload: async (name: ServerList) => {
      stop(name)
      change(name, { isStale: true })
      await load(name, 'page', () => true)
    },
    /** Shows these rows in place of the list, until it is loaded again. */
    showOnly: (name: ServerList, rows: readonly CrmRecord[], only: string) => {
      stop(name)
      store.update((state) => withOnly(state, name, rows, only))
    },
    cancel: () => serverLists().filter(stop).length > 0,
    /** A key was pressed: the pages of a load of all rows come more slowly for a moment, so that the next key is not behind them. */
    giveWay: pace.giveWay,
  }
}

/** The rows of a job or an event are as many as they are; all rows are asked for by L. */
function hasNothingToLoad({ isComplete, isStale, only, loading: underWay }: ListState, loading: Loading): boolean {
  if (underWay !== 'idle') return true
  return !isStale && (isComplete || (only !== undefined && loading === 'page'))
}

function withOnly(state: State, name: ServerList, rows: readonly CrmRecord[], only: string): State {
  const { column, isDetailOpen } = state.lists[name]
  return withList(state, name, () => ({ ...emptyList(column), isDetailOpen, rows, searched: searchedIn(name), only }))
}

function createPace() {
  let keyAtMs = Number.NEGATIVE_INFINITY
  return {
    giveWay: () => {
      keyAtMs = performance.now()
    },
    // The end of the list is found at once. It can be cancelled meanwhile.
    wait: async ({ nextCursor }: Run, isOn: () => boolean) => {
      if (nextCursor !== undefined && performance.now() - keyAtMs < KEY_LASTS_MS) await delay(GIVEN_WAY_MS)
      return isOn()
    },
  }
}

/** Loads the client for the first page, after the first frame. */
async function* pagesOf(openApi: () => Promise<Api>, name: ServerList, query: ListQuery): AsyncGenerator<Page> {
  yield* (await openApi())[name].list(query)
}

function newRun(openApi: () => Promise<Api>, name: ServerList, list: ListState): Run {
  const { nextCursor, serverFilters, isStale } = list
  const controller = new AbortController()
  const query = { limit: undefined, cursor: isStale ? undefined : nextCursor, filters: serverFilters }
  const pages = pagesOf(openApi, name, { ...query, signal: controller.signal })
  const shareTexts = createTextSharing()
  return { pages, controller, shareTexts, held: [], nextCursor: undefined, shownAtMs: 0, timer: undefined }
}

function failureOf(error: unknown): LoadFailure {
  const text = error instanceof Error ? error.message : String(error)
  return { text, isOfAnswer: error instanceof CrmError && error.code === 'bad_answer' }
}

type ListQuery = Parameters<Api[ServerList]['list']>[0]

function showHeld(store: StateStore<State>, name: ServerList, run: Run): void {
  const { held: items, nextCursor } = run
  clearTimeout(run.timer)
  run.timer = undefined
  run.held = []
  run.shownAtMs = performance.now()
  store.update((state) =>
    withList(state, name, (list) => ({
      ...takePage(list, { items, nextCursor, searched: searchedIn(name) }),
      // The age of a list is that of its first page.
      ...((list.isStale || list.readAtMs === undefined) && { readAtMs: Date.now() }),
    })),
  )
}

/** An unsorted, unfiltered list drops its first rows when it is full; any other list stops loading. */
function isFull({ rows, filter, sort }: ListState): boolean {
  return rows.length >= MOST_ROWS && (filter !== '' || sort !== undefined)
}

function showLeft(store: StateStore<State>, name: ServerList, run: Run): void {
  if (run.held.length > 0) showHeld(store, name, run)
}

function isHeldBack({ held, shownAtMs, nextCursor }: Run, { loading }: ListState): boolean {
  const isSoon = performance.now() - shownAtMs < SHOWN_EVERY_MS && held.length < MOST_HELD
  return isSoon && nextCursor !== undefined && loading === 'all'
}

/**
 * Makes equal texts of rows one text: a company or an owner of a hundred thousand rows is otherwise kept as often, and so is
 * the time of a record that was not changed since it was created.
 */
export function createTextSharing(): (rows: readonly CrmRecord[]) => void {
  const known = new Map<string, Map<string, string>>()
  const withNames = new Set<string>()

  function shared(member: string, value: string): string {
    if (withNames.has(member)) return value
    const values = known.get(member) ?? new Map<string, string>()
    known.set(member, values)
    const before = values.get(value)
    if (before !== undefined) return before
    values.set(value, value)
    if (values.size > MOST_VALUES) {
      withNames.add(member)
      known.delete(member)
    }
    return value
  }

  function shareIn(row: CrmRecord): void {
    let previous = ''
    for (const member in row) {
      const value = row[member]
      if (typeof value !== 'string') continue
      if (value !== previous) previous = shared(member, value)
      row[member] = previous
    }
  }

  return (rows) => rows.forEach(shareIn)
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Searches the rows that are not loaded for the filter of a list: by a request of the server if it has one, else page by page. */
export function createSearch({ store, openApi, notices, signal }: Parts, all: (name: ServerList) => Promise<void>) {
  async function askServer(name: ServerList, email: string): Promise<number> {
    try {
      const found = await findByEmail(await openApi(), { state: store.get(), name, email, signal })
      for (const row of found) {
        store.update((state) => withList(state, name, (list) => putRow(list, row, searchedIn(name))))
      }
      return found.length
    } catch (error) {
      // The pages answer as well, and a failure that lasts is shown there.
      if (error instanceof CrmError) return 0
      throw error
    }
  }

  return async (name: ServerList): Promise<void> => {
    const { filter, isComplete, failure } = store.get().lists[name]
    if (isComplete || filter === '' || failure?.isOfAnswer) return
    const found = EMAIL.test(filter) ? await askServer(name, filter) : 0
    if (found > 0) return notices.done(`The server found ${found} with this email; L loads all rows`)
    await all(name)
  }
}

type Wanted = { readonly state: State; readonly name: ServerList; readonly email: string; readonly signal: AbortSignal }

/** Only records with exactly this address: a server that does not know the filter answers with others. */
async function findByEmail(api: Api, { state, name, email, signal }: Wanted): Promise<readonly CrmRecord[]> {
  const resource = resourceOf(name)
  if (!FIELDS[resource].some((field) => field === 'email')) return []
  const isWanted = (row: CrmRecord) =>
    rowId(row) !== undefined && String(row.email ?? '').toLowerCase() === email.toLowerCase()
  const reader = await api.keyReader(resource, 'email')
  if (reader) return (await reader.read([email], { signal, rateShare: 1 })).filter(isWanted)
  const filters = state.offered.fields[name]?.filters ?? 'any'
  if (filters !== 'any' && !filters.includes('email')) return []
  for await (const { items } of api[name].list({ limit: undefined, cursor: undefined, filters: { email }, signal })) {
    return items.filter(isWanted)
  }
  return []
}
