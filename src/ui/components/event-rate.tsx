import { sparkText, textWidth } from '../../output/terminal-text.ts'
import { fitCell } from '../list/columns.ts'
import { BARS, eventRate } from '../list/event-rate.ts'
import type { Theme } from '../look/theme.ts'
import type { State } from '../state.ts'
import { shortTime } from '../text/short-time.ts'
import { Rows } from './rows.tsx'

/** The events screen has it once there are events. */
export function hasRateLine({ screen, lists }: Pick<State, 'screen' | 'lists'>): boolean {
  return screen === 'events' && lists.events.rows.length > 0
}

/** `▁▂█ 2 h to 15:12:03, at most 12 in 5 min · 3 of 20 failing`; bars with failures are red. */
export function EventRateLine({ state, theme }: { readonly state: State; readonly theme: Theme }) {
  return <Rows lines={[eventRateLine(state, theme)]} />
}

function eventRateLine({ lists, times, columns }: State, theme: Theme): string {
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

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

function durationText(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each && ms % each === 0) ?? ['s', 1_000]
  return `${ms / size} ${unit}`
}
