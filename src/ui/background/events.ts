import { join } from 'node:path'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Env } from '../../core/streams.ts'
import { stateFolder } from '../../settings/state-folder.ts'
import { readEvents } from '../../webhooks/log/read-events.ts'
import { listSegments, segmentSize } from '../../webhooks/log/segments.ts'
import { takePage } from '../list/list-state.ts'
import { SEARCHED } from '../screens.ts'
import type { Store } from '../state.ts'
import { type State, withList } from '../state.ts'
import { eventRow } from './event-row.ts'
import type { Notices } from './notices.ts'

/** The events that `crm listen` keeps on this machine, watched while the screen is open. */
export interface Events {
  /** Shows the current content of the log. */
  look(): Promise<void>
  close(): void
}

/** The number of events shown, the newest first; `crm webhooks events list` prints all. */
export const MOST_EVENTS = 2_000
const LOOK_EVERY_MS = 1_000

export function createEvents(store: Store<State>, env: Env, notices: Notices): Events {
  const folder = join(stateFolder(env), 'events')
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
    try {
      seen = await logSize(folder)
      const items = await newest(folder)
      const page = { items, nextCursor: undefined, isOpen: items.length === MOST_EVENTS, searched: SEARCHED.events }
      store.update((state) => withList(state, 'events', (list) => takePage({ ...list, isStale: true }, page)))
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      notices.problem(error, '')
    }
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
