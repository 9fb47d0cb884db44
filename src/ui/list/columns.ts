import { compareDecimals, type Decimal, decimalOf, decimalText, shifted } from '../../core/decimal.ts'
import type { JsonValue } from '../../core/json.ts'
import { cellText } from '../../output/safe-text.ts'
import { fitText, textWidth } from '../../output/terminal-text.ts'
import type { ListState } from './list-state.ts'

const UNITS = { T: 12, B: 9, M: 6, K: 3 }

const ONE: Decimal = { digits: 1n, scale: 0 }

/** `213.3M`, `1.2K`, `852`: at most six characters and a sign up to a thousand trillions, rounded towards zero. */
export function shortNumber(value: Decimal): string {
  const size = value.digits < 0n ? { ...value, digits: -value.digits } : value
  const sign = value.digits < 0n ? '-' : ''
  const [unit, tens] = Object.entries(UNITS).find(([, each]) => compareDecimals(size, shifted(ONE, each)) >= 0) ?? [
    '',
    0,
  ]
  const tenths = decimalText(shifted(size, -tens))
    .replace(/(\.\d)\d+$/, '$1')
    .replace(/\.0$/, '')
  return `${sign}${tenths}${unit}`
}

/** A number whole where it fits, else short: no digit of it is ever cut. */
export function numberCell(value: JsonValue | undefined, width: number): string {
  const whole = cellText(value)
  const decimal = textWidth(whole) > width ? decimalOf(value) : undefined
  return decimal ? shortNumber(decimal) : whole
}

const DAY_MS = 86_400_000
const MOST_DAYS = 999

/** `07:18:23` today and `2 d` older, in the zone of this machine; a later day, or what is no time, is unchanged. */
export function shortTime(value: JsonValue | undefined, nowMs: number): string {
  const whole = cellText(value)
  const ms = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) return whole
  const days = Math.round((startOfDay(nowMs) - startOfDay(ms)) / DAY_MS)
  if (days === 0) return new Date(ms).toTimeString().slice(0, 8)
  return days > 0 && days <= MOST_DAYS ? `${days} d` : whole.slice(0, 10)
}

export function startOfDay(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0)
}

/** A column of a list; the last column is omitted first. */
export interface ListColumn {
  readonly name: string
  readonly head: string
  readonly least: number
  readonly most: number
  readonly align?: 'right'
  readonly kind?: 'time'
  /** It has the width of its contents, before all others. */
  readonly isVital?: true
  /** It has the width of its contents if it is shown. Times have, too. */
  readonly isNeverCut?: true
  /** No row has a value: it is as wide as its head where there is room, and else keeps the beginning of its head. */
  readonly isEmpty?: true
  /** A filter found something in it: it comes before all but the vital ones, with the width of its contents if there is room. */
  readonly isFound?: true
}

export type FittedColumn = { readonly column: ListColumn; readonly width: number }

export const COLUMN_GAP = 2

const LEFT_BESIDE_VITAL = 0.4

/**
 * As many columns as fit with their least width, in order; the remaining width is distributed in turn. `widest` is the width of
 * the contents of vital columns, and of those that are never cut.
 */
export function fitListColumns(
  all: readonly ListColumn[],
  available: number,
  widest: ReadonlyMap<string, number> = new Map(),
): readonly FittedColumn[] {
  const columns = all.map((column) => {
    const wanted = widest.get(column.name) ?? 0
    const least = Math.min(Math.max(column.least, wanted), Math.floor(available * (1 - LEFT_BESIDE_VITAL)))
    return wanted > 0 || column.isVital ? { ...column, least, most: Math.max(column.most, least) } : column
  })
  const fits = new Set(columns.filter(({ isVital }) => isVital))
  let used = [...fits].reduce((total, { least }) => total + COLUMN_GAP + least, -COLUMN_GAP)
  for (const column of [...columns.filter(({ isFound }) => isFound), ...columns]) {
    if (fits.has(column)) continue
    if (used + COLUMN_GAP + column.least > available && fits.size > 0) break
    fits.add(column)
    used += COLUMN_GAP + column.least
  }
  const shown = columns.filter((column) => fits.has(column)).map((column) => ({ column, width: column.least }))
  const found = grown(shown, available - used, ({ isFound }) => isFound === true)
  const filled = grown(found.columns, found.spare, ({ isEmpty }) => isEmpty !== true)
  return grown(filled.columns, filled.spare, () => true).columns.map(({ column, width }) => ({
    column,
    width: Math.min(width, Math.max(1, available)),
  }))
}

/** As fitListColumns, without as many columns after the first as the selected one needs to be among them. */
export function fitShowing(selected: string, ...[all, ...room]: Parameters<typeof fitListColumns>) {
  const isSelected = ({ name }: ListColumn) => name === selected
  let columns = all
  for (;;) {
    const fitted = fitListColumns(columns, ...room)
    const next = columns.findIndex((column, at) => at > 0 && !column.isVital)
    if (next < 0 || next >= columns.findIndex(isSelected) || fitted.some(({ column }) => isSelected(column)))
      return fitted
    columns = columns.toSpliced(next, 1)
  }
}

/** Widens columns in turn, up to their contents. */
function grown(columns: readonly FittedColumn[], room: number, isGrown: (column: ListColumn) => boolean) {
  const widths = columns.map(({ width }) => width)
  let spare = room
  for (let hasGrown = true; spare > 0 && hasGrown; ) {
    hasGrown = false
    for (const [index, { column }] of columns.entries()) {
      const width = widths[index] ?? 0
      if (spare <= 0 || width >= column.most || !isGrown(column)) continue
      widths[index] = width + 1
      spare--
      hasGrown = true
    }
  }
  return { columns: columns.map(({ column }, index) => ({ column, width: widths[index] ?? 0 })), spare }
}

/** Exactly `width` columns: cut with an ellipsis, or padded. The text must be safe. */
export function fitCell(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const cut = fitText(text, width)
  const blank = ' '.repeat(Math.max(0, width - textWidth(cut)))
  return align === 'right' ? blank + cut : cut + blank
}

/** As fitCell, but a text that is too long is also cut at its beginning if `from` to `to` would else be cut off. */
export function fitAround(text: string, width: number, [from, to]: readonly [from: number, to: number]): string {
  if (textWidth(text) <= width || textWidth(text.slice(0, to)) < width) return fitCell(text, width)
  let start = from
  // The rest of the width shows what is before it.
  while (start > 0 && textWidth(text.slice(start - 1, to)) + 2 <= width) start--
  return fitCell(`…${text.slice(start)}`, width)
}

/** As fitCell, but cut at its beginning: the end of a state is the newest part. */
export function fitState(text: string, width: number): string {
  if (textWidth(text) <= width) return fitCell(text, width)
  let end = text
  while (textWidth(end) > width - 1) end = end.slice(1)
  return fitCell(`…${end}`, width)
}

export interface TimeStyle {
  readonly nowMs: number
  /** As the server sent them. */
  readonly isWhole: boolean
}

/** The text of a cell as its column shows it: times short, numbers never cut. */
export function cellTextOf(
  { kind, align }: ListColumn,
  value: JsonValue | undefined,
  { width, times }: { readonly width: number; readonly times: TimeStyle },
): string {
  if (kind === 'time' && !times.isWhole) return shortTime(value, times.nowMs)
  return align === 'right' ? numberCell(value, width) : shortCell(value, width)
}

/** The text of a cell. Only the visible part is made safe, because a value may have a million characters. */
export function shortCell(value: JsonValue | undefined, width: number): string {
  return cellText(typeof value === 'string' && value.length > 8 * width ? value.slice(0, 8 * width) : value)
}

/** The first rows stand for all, so that columns stay where they are while a list is scrolled. */
const SAMPLED = 200
const measured = new WeakMap<object, Map<string, number>>()

/** The columns limited to the width of their contents; measured once for each set of rows. */
export function sizedByContent(
  { rows, sort, column: selected }: Pick<ListState, 'rows' | 'sort' | 'column'>,
  columns: readonly ListColumn[],
  times: TimeStyle,
): readonly ListColumn[] {
  if (rows.length === 0) return columns
  return columns.map((column) => {
    const widest = widestOf(rows, column, times)
    // The head is in brackets when it is selected, and has an arrow when the rows are sorted by it.
    const wanted = Math.max(widest, textWidth(column.head) + (sort?.by === column.name ? 4 : 2))
    return {
      ...column,
      least: Math.min(column.least, wanted),
      most: Math.min(Math.max(column.most, MOST_TEXT), wanted),
      ...(widest === 0 && !column.isVital && column.name !== selected && sort?.by !== column.name && EMPTY),
    }
  })
}

const MOST_TEXT = 60
const EMPTY = { least: 3, isEmpty: true } as const

function widestOf(from: ListState['rows'], column: ListColumn, times: TimeStyle): number {
  const known = measured.get(from) ?? new Map<string, number>()
  measured.set(from, known)
  const key = `${column.name} ${column.kind === 'time' ? times.isWhole : ''}`
  const before = known.get(key)
  if (before !== undefined) return before
  let widest = 0
  for (const row of from.slice(0, SAMPLED)) {
    widest = Math.max(widest, textWidth(cellTextOf(column, row[column.name], { width: MOST_TEXT, times })))
  }
  known.set(key, widest)
  return widest
}
