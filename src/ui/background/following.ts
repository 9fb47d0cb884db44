import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { createBoards, selectedRow, withDealSelected } from '../board.ts'
import { type ListState, rowId, shownCount, shownRow, withRefreshed } from '../list/list-state.ts'
import { listHeight } from '../look/areas.ts'
import { isServerList, listOfScreen, type ServerList } from '../screens.ts'
import { type State, withList } from '../state.ts'
import type { Parts } from './parts.ts'

const MINUTE_MS = 60_000

export function createFollowing({ store, openApi, now, refreshEveryMs: everyMs }: Parts) {
  const boards = createBoards()
  let isLent = false
  let running: AbortController | undefined
  const timers = [
    ...(everyMs === undefined ? [] : [setInterval(() => void look(), everyMs).unref()]),
    // For the age in the status line.
    setInterval(() => store.update((state) => withAge(state, now())), MINUTE_MS).unref(),
  ]

  /** Reads the first page again, unless something else is under way. */
  async function look(): Promise<void> {
    const name = followed(store.get())
    if (name === undefined || isLent || running) return
    const before = store.get().lists[name]
    const run = new AbortController()
    running = run
    const show = (change: (state: State) => State) => {
      const state = store.get()
      // Answers to what was on the screen before are of no use: the next look comes soon.
      if (!run.signal.aborted && followed(state) === name && state.lists[name].rows === before.rows)
        store.update(change)
    }
    try {
      const items = await firstPage(await openApi(), name, before, run.signal)
      show((state) => withFirstPage(state, name, items, now()))
    } catch (error) {
      if (!(error instanceof CrmError) && !run.signal.aborted) throw error
      show((state) => withList(state, name, (list) => ({ ...list, isRefreshRefused: true })))
    } finally {
      if (running === run) running = undefined
    }
  }

  /** The selected deal stays selected, in whatever stage it is now. */
  function withFirstPage(state: State, name: ServerList, items: readonly CrmRecord[], nowMs: number): State {
    const { screen, listening } = state
    const selected = rowId(selectedRow(state, boards))
    const next = withList(state, name, (list) => {
      const fresh = withRefreshed(list, items)
      // Events have counted some that are not on the first page.
      const news = listening ? Math.max(list.news, fresh.news) : fresh.news
      const isRead = isOnPage(state, fresh, items)
      return { ...fresh, news, readAtMs: isRead ? nowMs : list.readAtMs, isRefreshRefused: false }
    })
    const isMoved = screen === 'pipelines' && next.lists.deals.rows !== state.lists.deals.rows
    return isMoved ? withDealSelected(next, boards, selected) : next
  }

  function cancel(): void {
    running?.abort()
    running = undefined
  }

  return {
    look,
    cancel,
    without: async (during: () => Promise<void>) => {
      cancel()
      isLent = true
      await during().finally(() => {
        isLent = false
      })
    },
    close: () => {
      cancel()
      timers.map(clearInterval)
    },
  }
}

/** The list to read again: the shown one, unless it is being loaded, something is being sent, or a question is open. */
function followed({ screen, overlay, underWay, lists }: State): ServerList | undefined {
  const name = listOfScreen(screen)
  if (screen === 'home' || !isServerList(name) || overlay || underWay.length > 0) return undefined
  const { loading, isStale, readAtMs, only } = lists[name]
  return loading === 'idle' && !isStale && readAtMs !== undefined && only === undefined ? name : undefined
}

async function firstPage(api: Api, name: ServerList, { serverFilters: filters }: ListState, signal: AbortSignal) {
  for await (const { items } of api[name].list({ limit: undefined, cursor: undefined, filters, signal })) return items
  return []
}

/** Whether all that is shown was read: rows further down are as old as before. */
function isOnPage(state: State, list: ListState, items: readonly CrmRecord[]): boolean {
  const ids = new Set(items.map(rowId))
  const count = shownCount(list)
  const [from, to] =
    state.screen === 'pipelines' ? [0, count] : [list.top, Math.min(count, list.top + listHeight(state))]
  for (let position = from; position < to; position++) if (!ids.has(rowId(shownRow(list, position)))) return false
  return true
}

function withAge(state: State, nowMs: number): State {
  const { readAtMs } = state.lists[listOfScreen(state.screen)]
  if (readAtMs === undefined || nowMs - readAtMs < MINUTE_MS) return state
  return { ...state, times: { ...state.times, nowMs } }
}
