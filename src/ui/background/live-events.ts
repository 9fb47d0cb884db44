import type { CrmRecord } from '../../core/resources/registry.ts'
import type { ForwardResult, ListenEvent } from '../../core/webhook-events.ts'
import { shownCount, takePage } from '../list/list-state.ts'
import { SEARCHED } from '../screens.ts'
import { type State, withList } from '../state.ts'
import type { Store } from '../store.ts'
import { receivedRow, withForwardResult } from './event-row.ts'
import { type Events, MOST_EVENTS } from './events.ts'

/** A receiver that this process runs. */
export interface LiveEvents {
  /** Where senders reach it. */
  readonly url: string
  /** Told of all that happens, from now on. */
  onEvents(take: (listenEvent: ListenEvent) => void): void
}

/** Four frames a second are drawn for however many events come. */
const SHOWN_EVERY_MS = 250

/** Rows of a receiver in this process: what `crm listen` would print, the newest first. */
export function createLiveEvents(store: Store<State>, live: LiveEvents): Events {
  let waiting: CrmRecord[] = []
  let count = 0
  let receivedCount = 0
  let timer: NodeJS.Timeout | undefined
  let unshown: ForwardResult[] = []

  live.onEvents((listenEvent) => {
    if (listenEvent.type === 'event' || listenEvent.type === 'rejected') {
      waiting.push(receivedRow(listenEvent, ++receivedCount))
      // Those that would be let go anyway are not held until somebody looks.
      if (waiting.length > 2 * MOST_EVENTS) waiting = waiting.slice(-MOST_EVENTS)
      count++
    } else if (listenEvent.type !== 'simulated' && listenEvent.id !== undefined) {
      unshown.push(listenEvent)
    }
    timer ??= setTimeout(show, SHOWN_EVERY_MS)
  })

  function show(): void {
    timer = undefined
    const list = store.get().lists.events
    if (unshown.length > 0) showResults()
    if (count === 0) return
    if (shownCount(list) === 0 || isFollowed(store.get())) return void look()
    store.update((state) => withList(state, 'events', (before) => ({ ...before, news: count })))
  }

  /** Of rows that are not shown yet too: each result is put to its row once. */
  function showResults(): void {
    const results = unshown
    unshown = []
    waiting = withResults(waiting, results)
    store.update((state) =>
      withList(state, 'events', (list) => {
        const rows = withResults(list.rows, results)
        return rows === list.rows ? list : { ...list, rows }
      }),
    )
  }

  async function look(): Promise<void> {
    if (unshown.length > 0) showResults()
    const rows = waiting.toReversed()
    waiting = []
    count = 0
    const isResting = isFollowed(store.get())
    store.update((state) =>
      withList(state, 'events', (list) => {
        const items = [...rows, ...list.rows].slice(0, MOST_EVENTS)
        const fresh = takePage({ ...list, isStale: true }, { items, nextCursor: undefined, searched: SEARCHED.events })
        return isResting ? { ...fresh, cursor: 0, top: 0 } : fresh
      }),
    )
  }

  store.update((state) => ({
    ...withList(state, 'events', (list) => ({ ...list, isComplete: true, isDetailOpen: false })),
    listening: { url: live.url, isFollowing: true },
  }))
  return { look, close: () => clearTimeout(timer) }
}

/** New rows are shown on top until a row is selected, so that no row moves under the cursor. */
export function isFollowed({ listening, overlay, lists: { events } }: State): boolean {
  const { cursor, marks, isDetailOpen, anchor } = events
  const isChosen = cursor > 0 || marks.size > 0 || isDetailOpen || anchor !== undefined
  return listening?.isFollowing === true && overlay === undefined && !isChosen
}

/** The rows themselves where none of the results is of one of them. */
function withResults<Rows extends readonly CrmRecord[]>(
  rows: Rows,
  results: readonly ForwardResult[],
): Rows | CrmRecord[] {
  const byRequest = Map.groupBy(results, requestOf)
  const next = rows.map((row) => {
    const own = byRequest.get(`${row.id} ${row.received_at}`)
    return own ? own.reduce(withForwardResult, row) : row
  })
  return next.some((row, at) => row !== rows[at]) ? next : rows
}

/** Which of the rows: an event that came again has the id of the one before it. */
function requestOf({ id, receivedAtMs }: ForwardResult): string {
  return `${id} ${new Date(receivedAtMs).toISOString()}`
}
