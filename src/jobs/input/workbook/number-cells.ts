import { attributeOf } from './scan-xml.ts'
import type { WorkbookParts } from './workbook-parts.ts'

/** What a number of a cell is shown as. `duration`: hours that may be more than a day. */
export type NumberKind = 'number' | 'date' | 'time' | 'date_time' | 'duration'

/** Formats that every program has, which files do not define (ECMA-376-1, 18.8.30), East Asian ones included. */
const DATES = [14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58]
const TIMES = [18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56]

function builtIn(id: number): NumberKind {
  if (id === 22) return 'date_time'
  if (id === 46) return 'duration'
  return DATES.includes(id) ? 'date' : TIMES.includes(id) ? 'time' : 'number'
}

/** Texts, escaped characters, fillers, and conditions, colours and languages in brackets, but not `[h]`. */
const NOT_CODE = /"[^"]*"?|[\\_*].|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi

/** The kind of a format such as `dd.mm.yyyy`, by its first section. */
function kindOfFormat(format: string): NumberKind {
  const [code = ''] = format.replace(NOT_CODE, '').split(';')
  if (/\[(?:h+|m+|s+)\]/i.test(code)) return 'duration'
  if (/general/i.test(code)) return 'number'
  const hasTime = /[hs]|am\/pm|a\/p/i.test(code)
  // A month and a minute are both `m`.
  const hasDate = /[ydg]|b1|b2|aaa/i.test(code.replace(/am\/pm|a\/p/gi, '')) || (!hasTime && /m/i.test(code))
  if (hasDate) return hasTime ? 'date_time' : 'date'
  return hasTime ? 'time' : 'number'
}

/** The kinds by the number of a cell style. */
export async function readNumberKinds(parts: WorkbookParts, path: string | undefined): Promise<readonly NumberKind[]> {
  const custom = new Map<number, NumberKind>()
  const kinds: NumberKind[] = []
  if (path === undefined || !parts.has(path)) return kinds
  let isCell = false
  await parts.scan(path, {
    open(name, attributes) {
      if (name === 'cellXfs') isCell = true
      const id = Number(attributeOf(attributes, 'numFmtId') ?? 0)
      if (name === 'numFmt') custom.set(id, kindOfFormat(attributeOf(attributes, 'formatCode') ?? ''))
      if (name === 'xf' && isCell) kinds.push(custom.get(id) ?? builtIn(id))
    },
    close(name) {
      if (name === 'cellXfs') isCell = false
    },
  })
  return kinds
}

/** xsd:double, without NaN and infinity. */
const DOUBLE = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/

/** Larger exponents stay as they are. */
const MOST_ZEROS = 30

/**
 * A number as JSON writes it, with the digits of the cell, without an exponent if that is readable, and without the decimals of
 * `5.0`, which some programs write for 5; undefined if it is none.
 */
export function plainNumber(text: string): string | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = DOUBLE.exec(text.trim()) ?? []
  if (whole === '' && fraction === '') return undefined
  const isLong = Math.abs(Number(exponent)) > MOST_ZEROS
  const shift = isLong ? 0 : Number(exponent)
  const digits = `${whole.padStart(-shift, '0')}${fraction.padEnd(shift, '0')}`
  const point = Math.max(whole.length, -shift) + shift
  const [left, right] = [digits.slice(0, point).replace(/^0+(?=\d)/, '') || '0', digits.slice(point)]
  const hasFraction = isLong ? right !== '' : /[1-9]/.test(right)
  return `${sign === '-' ? '-' : ''}${left}${hasFraction ? `.${right}` : ''}${isLong ? `e${Number(exponent)}` : ''}`
}

const DAY_MS = 86_400_000

const LAST_DAY = Date.UTC(9999, 11, 31)

/**
 * A number of days as ISO 8601; undefined for a day that does not exist: before the first, after the year 9999, or
 * 29 February 1900, which Lotus 1-2-3 had, and therefore Excel. `is1904`: days count from 1904, as in old workbooks of the Macintosh.
 */
export function dateText(serial: number, kind: NumberKind, is1904: boolean): string | undefined {
  const totalMs = Math.round(serial * DAY_MS)
  if (!(serial >= 0 && totalMs < Number.POSITIVE_INFINITY)) return undefined
  const [day, clock] = [Math.floor(totalMs / DAY_MS), clockText(totalMs)]
  if (kind === 'duration') return `${String(Math.floor(totalMs / 3_600_000)).padStart(2, '0')}:${clock.slice(3)}`
  // In the system of 1900, day 0 is the day before the first one: a time alone.
  if (day === 0 && (kind === 'time' || !is1904)) return clock
  const first = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, day < 60 ? 31 : 30)
  const dayMs = first + day * DAY_MS
  if (dayMs > LAST_DAY || (!is1904 && day === 60)) return undefined
  const date = new Date(dayMs).toISOString().slice(0, 10)
  return kind === 'date' && clock === '00:00:00' ? date : `${date}T${clock}`
}

/** `10:30:00`, with milliseconds if there are any. */
function clockText(totalMs: number): string {
  const time = new Date(totalMs % DAY_MS).toISOString().slice(11, 23)
  return time.replace(/\.000$/, '')
}
