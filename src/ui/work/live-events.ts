import type { Occurrence } from '../../core/arrivals.ts'
import type { CrmRecord } from '../../core/resources.ts'
import { type ListState, shownCount, takePage } from '../list/list-state.ts'
import { SEARCHED } from '../screens.ts'
import { type State, withList } from '../state.ts'
import type { Store } from '../store.ts'
import { arrivalRow, handOverText } from './event-row.ts'
import { type Events, MOST_EVENTS } from './events.ts'

/** A receiver that this process runs. */
export interface LiveEvents {
  /** Where senders reach it. */
  readonly url: string
  /** Told of all that happens, from now on. */
  onOccurrences(take: (occurrence: Occurrence) => void): void
}

/** Four frames a second are drawn for however many events come. */
const SHOWN_EVERY_MS = 250

/** Rows of a receiver in this process: what `crm listen` would print, the newest first. */
export function createLiveEvents(store: Store<State>, live: LiveEvents): Events {
  let waiting: CrmRecord[] = []
  let count = 0
  let arrivals = 0
  let timer: NodeJS.Timeout | undefined
  const onward = new Map<string, string>()

  live.onOccurrences((occurrence) => {
    if (occurrence.type === 'event' || occurrence.type === 'rejected') {
      waiting.push(arrivalRow(occurrence, ++arrivals))
      // Those that would be let go anyway are not held until somebody looks.
      if (waiting.length > 2 * MOST_EVENTS) waiting = waiting.slice(-MOST_EVENTS)
      count++
    } else if (occurrence.type !== 'simulated' && occurrence.id !== undefined) {
      onward.set(occurrence.id, handOverText(occurrence))
    }
    timer ??= setTimeout(show, SHOWN_EVERY_MS)
  })

  function show(): void {
    timer = undefined
    const list = store.get().lists.events
    if (onward.size > 0) store.update((state) => withList(state, 'events', (before) => withOnward(before, onward)))
    if (count === 0) return
    if (shownCount(list) === 0 || isFollowed(store.get())) return void look()
    store.update((state) => withList(state, 'events', (before) => ({ ...before, news: count })))
  }

  async function look(): Promise<void> {
    const rows = waiting.toReversed()
    waiting = []
    count = 0
    const isResting = isFollowed(store.get())
    store.update((state) =>
      withList(state, 'events', (list) => {
        const items = [...rows, ...list.rows].slice(0, MOST_EVENTS).map((row) => handedOn(row, onward))
        const fresh = takePage({ ...list, isStale: true }, { items, nextCursor: undefined, searched: SEARCHED.events })
        return isResting ? { ...fresh, cursor: 0, top: 0 } : fresh
      }),
    )
    onward.clear()
  }

  store.update((state) => ({
    ...withList(state, 'events', (list) => ({ ...list, isComplete: true, isDetailOpen: false })),
    listening: { url: live.url, isFollowing: true },
  }))
  return { look, close: () => clearTimeout(timer) }
}

/** New rows come on top by themselves while nobody has chosen one: no row moves from under a cursor that was moved. */
export function isFollowed({ listening, overlay, lists: { events } }: State): boolean {
  const { cursor, marks, isDetailOpen, anchor } = events
  const isChosen = cursor > 0 || marks.size > 0 || isDetailOpen || anchor !== undefined
  return listening?.isFollowing === true && overlay === undefined && !isChosen
}

function withOnward(list: ListState, onward: ReadonlyMap<string, string>): ListState {
  const rows = list.rows.map((row) => handedOn(row, onward))
  return rows.every((row, index) => row === list.rows[index]) ? list : { ...list, rows }
}

function handedOn(row: CrmRecord, onward: ReadonlyMap<string, string>): CrmRecord {
  const text = typeof row.id === 'string' ? onward.get(row.id) : undefined
  if (text === undefined) return row
  const [state] = String(row.state).split(' -> ')
  return { ...row, state: `${state} -> ${text.split(/ in |:/)[0]}`, handed_on: text }
}
