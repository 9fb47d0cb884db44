import type { CrmRecord } from '../../core/resources/registry.ts'
import { safeText } from '../../output/safe-text.ts'
import { sparkText, textWidth } from '../../output/terminal-text.ts'
import { REJECTED } from '../background/event-row.ts'
import { fitCell, shortTime } from '../list/columns.ts'
import type { Theme } from '../look/theme.ts'
import type { ScreenEntry } from '../screen-entry.ts'
import type { State } from '../state.ts'

/** New rows are shown on top until a row is selected, so that no row moves under the cursor. */
export function isFollowed({ listening, overlay, lists: { events } }: State): boolean {
  const { cursor, marks, isDetailOpen, anchor } = events
  const isChosen = cursor > 0 || marks.size > 0 || isDetailOpen || anchor !== undefined
  return listening?.isFollowing === true && overlay === undefined && !isChosen
}

/** The loaded events over time. It ends with the newest one, not now, so that nothing is drawn at rest. */
export interface EventRate {
  readonly bars: readonly EventBar[]
  readonly barMs: number
  readonly newestMs: number
  readonly failing: number
  readonly rejected: number
}

export interface EventBar {
  readonly count: number
  /** Failing and rejected ones. */
  readonly bad: number
}

const BARS = 24
const MINUTE_MS = 60_000
/** Lengths of a bar: the shortest that covers the loaded events, or the longest. */
const BAR_MS = [5_000, 15_000, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS, 6 * 60 * MINUTE_MS]
const DAY_MS = 24 * 60 * MINUTE_MS
const computed = new WeakMap<object, EventRate | undefined>()

/** Undefined without events; computed once for each set of rows. */
function eventRate(rows: readonly CrmRecord[]): EventRate | undefined {
  if (!computed.has(rows)) computed.set(rows, rateOf(rows))
  return computed.get(rows)
}

function rateOf(rows: readonly CrmRecord[]): EventRate | undefined {
  const events = rows.flatMap((row) => {
    const atMs = Date.parse(String(row.received_at))
    return Number.isNaN(atMs) ? [] : [{ atMs, isFailing: isFailing(row), isRejected: row.event === REJECTED }]
  })
  if (events.length === 0) return undefined
  const newestMs = events.reduce((newest, { atMs }) => Math.max(newest, atMs), -Infinity)
  const oldestMs = events.reduce((oldest, { atMs }) => Math.min(oldest, atMs), Infinity)
  const barMs = BAR_MS.find((each) => newestMs - oldestMs < each * BARS) ?? DAY_MS
  const bars = Array.from({ length: BARS }, () => ({ count: 0, bad: 0 }))
  for (const { atMs, isFailing, isRejected } of events) {
    const bar = bars[BARS - 1 - Math.floor((newestMs - atMs) / barMs)]
    if (!bar) continue
    bar.count++
    if (isFailing || isRejected) bar.bad++
  }
  const failing = events.filter((event) => event.isFailing).length
  const rejected = events.filter((event) => event.isRejected).length
  return { bars, barMs, newestMs, failing, rejected }
}

/** Whether there was an attempt, and the last one failed. */
function isFailing({ event, state }: CrmRecord): boolean {
  const [, results] = String(state).split(' -> ')
  return event !== REJECTED && results !== undefined && !/(?:^|, )(?:2\d\d|exit 0)(?: x\d+)?$/.test(results)
}

/** `▁▂█ 2 h to 15:12:03, at most 12 in 5 min · 3 of 20 failing`; bars with failures are red. */
export function eventRateLine({ lists, times, columns }: State, theme: Theme): string {
  const { rows } = lists.events
  const rate = eventRate(rows)
  if (!rate) return theme.dim(fitCell(' no event has a time', columns))
  const { bars, barMs, newestMs, failing, rejected } = rate
  const most = bars.reduce((most, { count }) => Math.max(most, count), 0)
  const marks = [...sparkText(bars.map(({ count }) => count))]
  const spark = marks.map((mark, at) => ((bars[at]?.bad ?? 0) > 0 ? theme.bad(mark) : theme.accent(mark))).join('')
  const newest = shortTime(new Date(newestMs).toISOString(), times.nowMs)
  const span = `  ${durationText(barMs * BARS)} to ${newest}, at most ${most} in ${durationText(barMs)}`
  const bad = [
    ...(failing > 0 ? [`${failing} of ${rows.length} failing`] : []),
    ...(rejected > 0 ? [`${rejected} rejected`] : []),
  ].join(', ')
  const room = columns - bars.length - 1
  if (bad === '') return ` ${spark}${theme.dim(fitCell(span, room))}`
  const left = Math.max(0, room - textWidth(bad) - 3)
  const before = textWidth(span) <= left ? span : fitCell(span, left)
  return ` ${spark}${theme.dim(before)} · ${theme.bad(bad)}${' '.repeat(Math.max(0, room - textWidth(before) - textWidth(bad) - 3))}`
}

const UNITS = { d: 86_400_000, h: 3_600_000, min: 60_000 }

function durationText(ms: number): string {
  const [unit, size] = Object.entries(UNITS).find(([, each]) => ms >= each && ms % each === 0) ?? ['s', 1_000]
  return `${ms / size} ${unit}`
}

export const eventsScreen: ScreenEntry = {
  title: 'Events',
  columns: [
    { name: 'received_at', head: 'RECEIVED', least: 8, most: 24, kind: 'time' },
    { name: 'event', head: 'EVENT', least: 16, most: 22 },
    { name: 'record_id', head: 'RECORD', least: 16, most: 20 },
    { name: 'state', head: 'STATE', least: 10, most: 28, isVital: true },
    { name: 'id', head: 'ID', least: 16, most: 30 },
  ],
  searched: ['event', 'record_id', 'state', 'id'],
  empty: ({ listening }) =>
    listening
      ? [`No event yet. Senders reach this at ${safeText(listening.url)}`, 'T makes one up.']
      : ['No events are kept on this machine.', 'crm listen receives them; T makes one up and sends it.'],
  status: (state) =>
    state.listening
      ? [`listening at ${safeText(state.listening.url)}`, ...(isFollowed(state) ? ['new ones come on top'] : [])]
      : ['events of all servers on this machine'],
}
