import { isJsonObject } from '../../core/json.ts'
import { recordTimeMs } from '../../core/record-time.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import type { ForwardResult, Received } from '../../core/webhook-events.ts'
import { safeText } from '../../output/safe-text.ts'
import { eventsFolder } from '../../settings/default-places.ts'
import { readEvents } from '../../webhooks/log/read-events.ts'
import { listSegments, segmentSize } from '../../webhooks/log/segments.ts'
import { rowId, shownCount, withValues } from '../list/list-state.ts'
import { withRows } from '../screens/all-screens.tsx'
import { isFollowed } from '../screens/events.tsx'
import { type ServerList, serverLists } from '../screens.ts'
import { type State, type StateStore, withList } from '../state.ts'
import { targetWord } from './done-commands.ts'
import { eventRow, forwardResultText, receivedRow, withForwardResult } from './event-row.ts'
import type { LiveEvents, Parts } from './parts.ts'

export type EventRecord = { readonly name: ServerList; readonly isNew: boolean; readonly record: CrmRecord }

/** Undefined for unsigned requests, repeated events, and events about records that no list shows. */
function changedRecordIn(event: Received): EventRecord | undefined {
  if (event.type !== 'event' || !event.isVerified || event.isDuplicate || event.body.type !== 'json') return undefined
  const [resource, what] = event.name?.split('.') ?? []
  const name = serverLists().find((each) => resourceOf(each) === resource)
  const record = isJsonObject(event.body.value) ? event.body.value.data : undefined
  if (!name || !isJsonObject(record) || rowId(record) === undefined) return undefined
  return what === 'created' || what === 'updated' ? { name, isNew: what === 'created', record } : undefined
}

/** Rows take the values of their events in place; others are counted, unless only the server knows whether its filter finds them. */
function withEventRecords(state: State, events: readonly EventRecord[]): State {
  return events.reduce(
    (before, { name, isNew, record }) =>
      withList(before, name, (list) => {
        const id = rowId(record)
        if (list.rows.some((row) => rowId(row) === id)) {
          // Events may arrive late, and in another order.
          const isOlder = (row: CrmRecord) => recordTimeMs(record.updated_at) < recordTimeMs(row.updated_at)
          return withValues(list, (row) => (rowId(row) === id && !isOlder(row) ? { ...row, ...record } : undefined))
        }
        const isCounted = isNew && list.readAtMs !== undefined && Object.keys(list.serverFilters).length === 0
        return isCounted ? { ...list, news: list.news + 1 } : list
      }),
    state,
  )
}

/** The number of events shown, the newest first; `crm webhooks events list` prints all. */
const MOST_EVENTS = 2_000
const LOOK_EVERY_MS = 1_000

/** The events that `crm listen` keeps on this machine, watched while the screen is open. */
export function createEvents({ store, env, notices }: Parts) {
  const folder = eventsFolder(env)
  let seen = ''
  const timer = setInterval(() => void watch(), LOOK_EVERY_MS)

  /** Counts new events; the rows do not move until the user reloads them. */
  async function watch(): Promise<void> {
    if (store.get().screen !== 'events' || seen === '') return
    try {
      if ((await logSize(folder)) === seen) return
      const shown = new Set(store.get().lists.events.rows.map(({ id, received_at }) => `${id} ${received_at}`))
      const fresh = (await newest(folder)).filter(({ id, received_at }) => !shown.has(`${id} ${received_at}`))
      // An empty list has no row that could move.
      if (shown.size === 0) return await look()
      store.update((state) => withList(state, 'events', (list) => ({ ...list, news: fresh.length })))
    } catch (error) {
      clearInterval(timer)
      notices.problem(error, 'Events are no longer watched: ')
    }
  }

  async function look(): Promise<void> {
    await notices.attempt('', async () => {
      seen = await logSize(folder)
      const items = await newest(folder)
      store.update((state) => withRows(state, 'events', items, items.length === MOST_EVENTS))
    })
  }

  return { look, close: () => clearInterval(timer) }
}

async function logSize(folder: string): Promise<string> {
  const sizes = await Promise.all((await listSegments(folder)).map(segmentSize))
  return `${sizes.length} ${sizes.reduce((total, size) => total + (size?.sizeBytes ?? 0), 0)}`
}

async function newest(folder: string): Promise<readonly CrmRecord[]> {
  const rows: CrmRecord[] = []
  for await (const events of readEvents(folder, { order: 'newest first' })) {
    rows.push(...events.map(eventRow))
    if (rows.length >= MOST_EVENTS) break
  }
  return rows.slice(0, MOST_EVENTS)
}

/** Four frames a second are drawn at any rate of events. */
const SHOWN_EVERY_MS = 250

/** The events of a receiver in this process: what `crm listen` would print, the newest first. */
export function createLiveEvents(store: StateStore<State>, live: LiveEvents) {
  let waiting: CrmRecord[] = []
  let count = 0
  let receivedCount = 0
  let timer: NodeJS.Timeout | undefined
  let unshown: ForwardResult[] = []
  const records: EventRecord[] = []

  live.onEvents((listenEvent) => {
    if (listenEvent.type === 'event' || listenEvent.type === 'rejected') {
      waiting.push(receivedRow(listenEvent, ++receivedCount))
      // Rows beyond the maximum are dropped at once.
      if (waiting.length > 2 * MOST_EVENTS) waiting = waiting.slice(-MOST_EVENTS)
      count++
      const record = changedRecordIn(listenEvent)
      if (record) records.push(record)
    } else if (listenEvent.type !== 'simulated' && listenEvent.id !== undefined) {
      unshown.push(listenEvent)
    }
    timer ??= setTimeout(show, SHOWN_EVERY_MS)
  })

  function show(): void {
    timer = undefined
    const taken = records.splice(0)
    if (taken.length > 0) store.update((state) => withEventRecords(state, taken))
    const list = store.get().lists.events
    if (unshown.length > 0) showResults()
    if (count === 0) return
    if (shownCount(list) === 0 || isFollowed(store.get())) return void look()
    store.update((state) => withList(state, 'events', (before) => ({ ...before, news: count })))
  }

  /** Adds each result once, also to rows that are not shown yet. */
  function showResults(): void {
    const results = unshown
    unshown = []
    waiting = [...withResults(waiting, results)]
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
    store.update((state) => {
      const items = [...rows, ...state.lists.events.rows].slice(0, MOST_EVENTS)
      const fresh = withRows(state, 'events', items, items.length === MOST_EVENTS)
      return isResting ? withList(fresh, 'events', (list) => ({ ...list, cursor: 0, top: 0 })) : fresh
    })
  }

  store.update((state) => ({
    ...withList(state, 'events', (list) => ({ ...list, isComplete: true, isDetailOpen: false })),
    listening: { url: live.url, isFollowing: true },
  }))
  return { look, close: () => clearTimeout(timer) }
}

/** Returns the same rows when no result belongs to them. A repeated event has the same id, but another time. */
function withResults(rows: readonly CrmRecord[], results: readonly ForwardResult[]): readonly CrmRecord[] {
  const timeOf = (ms: number) => new Date(ms).toISOString()
  const byRequest = Map.groupBy(results, ({ id, receivedAtMs }) => `${id} ${timeOf(receivedAtMs)}`)
  const next = rows.map((row) => {
    const own = byRequest.get(`${row.id} ${row.received_at}`)
    return own ? own.reduce(withForwardResult, row) : row
  })
  return next.some((row, at) => row !== rows[at]) ? next : rows
}

type Send = () => Promise<ForwardResult>

export function createSending({ senders, notices, commands, underWay }: Parts) {
  /** The answers of the target stay in the log; the last message counts them. */
  async function sendAll(sends: readonly Send[]): Promise<void> {
    let taken = 0
    let last = ''
    try {
      for (const send of sends) {
        const result = await send()
        last = safeText(`${result.name ?? result.id ?? 'the event'} -> ${result.target} ${forwardResultText(result)}`)
        if (result.failure === undefined) taken++
        else notices.wait(`Not accepted: ${last}`)
      }
    } catch (error) {
      return notices.problem(error, 'Not sent: ')
    }
    if (taken === 0) return
    if (sends.length === 1) return notices.done(`Sent ${last}`)
    const say = taken === sends.length ? notices.done : notices.wait
    say(`Accepted: ${taken} of ${sends.length}, the last: ${last}`)
  }

  const track = (sends: readonly Send[]) =>
    underWay.track(sends.length === 1 ? 'an event' : `${sends.length} events`, () => sendAll(sends))

  return {
    replay: (ids: readonly string[], to: string) => {
      commands.add(['webhooks', 'replay', ...ids, '--to', targetWord(to)])
      return track(ids.map((id) => () => senders.replay(id, to)))
    },
    trigger: (name: string, members: readonly string[], to: string) => {
      const set = members.flatMap((member) => ['--set', member])
      commands.add(['webhooks', 'trigger', name, ...set, '--to', targetWord(to)])
      return track([() => senders.trigger(name, members, to)])
    },
  }
}
