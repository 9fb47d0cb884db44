import type { CrmRecord } from '../../core/resources/registry.ts'
import { REJECTED } from '../background/event-row.ts'

/** The loaded events over time. It ends with the newest one, not now, so that nothing is drawn at rest. */
export interface EventRate {
  /** The oldest first. */
  readonly bars: readonly EventBar[]
  readonly barMs: number
  readonly newestMs: number
  /** Events whose last attempt failed. */
  readonly failing: number
  readonly rejected: number
}

export interface EventBar {
  readonly count: number
  /** Failing and rejected ones. */
  readonly bad: number
}

export const BARS = 24

const MINUTE_MS = 60_000
/** Lengths of a bar: the shortest that covers the loaded events, or the longest. */
const BAR_MS = [5_000, 15_000, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS, 6 * 60 * MINUTE_MS]
const DAY_MS = 24 * 60 * MINUTE_MS

const computed = new WeakMap<object, EventRate | undefined>()

/** Undefined without events; computed once for each set of rows. */
export function eventRate(rows: readonly CrmRecord[]): EventRate | undefined {
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
