import { isJsonObject, type JsonValue, jsonIn } from '../../core/json.ts'
import { cellText, safeText } from '../../output/safe-text.ts'
import { fitText, textWidth, wrapText } from '../../output/terminal-text.ts'
import { TO } from '../background/event-row.ts'
import { fitCell, type TimeStyle } from '../list/columns.ts'
import type { Theme } from '../look/theme.ts'
import { resultTone, toneOf } from '../look/tones.ts'
import { isNested, type JsonLine, jsonLines, kindTone, type TonedText } from './json-lines.ts'
import { shortTime } from './short-time.ts'

interface ValueArea {
  readonly width: number
  readonly theme: Theme
  readonly times: TimeStyle
}

/** The value of a member in lines of exactly this width, with the tone of its kind; objects and lists as indented JSON. */
export function valueLines(name: string, value: JsonValue | undefined, area: ValueArea): readonly string[] {
  const { width, theme } = area
  const nested = isNested(value) ? value : bodyOf(name, value)
  if (nested !== undefined) return jsonLines(nested).flatMap((line) => paintedJson(line, area))
  const text = ATTEMPT.test(name) ? attemptText(String(value), width) : valueText(value)
  const lines = wrapText(text, width).map((text): readonly TonedText[] => [{ text, tone: toneFor(name, value) }])
  const age = ageText(name, value, area.times)
  const last = lines.at(-1)
  if (age !== '' && last) lines[lines.length - 1] = [...last, { text: age, tone: 'dim' }]
  return lines.map((spans) => paintedSpans(spans, width, theme))
}

const ATTEMPT = /^attempt \d+$/
/** Its first word is its result. */
const DELIVERY = /^(?:attempt|delivery) \d+$/

/** One line: the target is cut if both do not fit, the result never. */
function attemptText(value: string, width: number): string {
  const text = safeText(value)
  const result = text.slice(0, Math.max(0, text.indexOf(TO)))
  return textWidth(result) < width ? fitText(text, width) : result
}

/** Of an event, whose body is kept as text. */
function bodyOf(name: string, value: JsonValue | undefined) {
  if (name !== 'body' || typeof value !== 'string') return undefined
  // Undefined for other text, and for the beginning of a body that was cut.
  const parsed = jsonIn(value)
  return isJsonObject(parsed) || Array.isArray(parsed) ? parsed : undefined
}

function toneFor(name: string, value: JsonValue | undefined) {
  return DELIVERY.test(name) ? resultTone(String(value)) : (toneOf(name, value) ?? kindTone(value))
}

/** ` · 2 d` after a time, which is whole. */
function ageText(name: string, value: JsonValue | undefined, { isWhole, nowMs }: TimeStyle): string {
  const short = name.endsWith('_at') && !isWhole ? shortTime(value, nowMs) : ''
  return short === '' || cellText(value).startsWith(short) ? '' : ` · ${short}`
}

const LONGEST_VALUE = 4_000

export function valueText(value: JsonValue | undefined): string {
  if (value === null) return 'null'
  const isLong = typeof value === 'string' && value.length > LONGEST_VALUE
  const text = cellText(isLong ? value.slice(0, LONGEST_VALUE) : value)
  return isLong ? `${text}… (${value.length} characters)` : text
}

/** The least room for a value beside the name of its member. */
const LEAST_ROOM = 12

/** A value that has no room beside its name is below it. */
function paintedJson({ lead, value, end }: JsonLine, { width, theme }: ValueArea): readonly string[] {
  const isBeside = width - textWidth(lead) >= LEAST_ROOM
  const names = isBeside ? [] : wrapText(lead, width).map((text): readonly TonedText[] => [{ text, tone: 'dim' }])
  const indent = isBeside ? textWidth(lead) : Math.max(0, Math.min(lead.search(/\S|$/) + 2, width - LEAST_ROOM))
  const values = wrapText(value.text + end, width - indent).map((text, at): readonly TonedText[] => [
    { text: isBeside && at === 0 ? lead : ' '.repeat(indent), tone: 'dim' },
    { text, tone: value.tone },
  ])
  const shown = !isBeside && value.text === '' ? names : [...names, ...values]
  return shown.map((spans) => paintedSpans(spans, width, theme))
}

function paintedSpans(spans: readonly TonedText[], width: number, theme: Theme): string {
  let left = width
  let line = ''
  for (const { text, tone } of spans) {
    const fitted = textWidth(text) <= left ? text : fitCell(text, left)
    left -= textWidth(fitted)
    line += tone === undefined ? fitted : theme[tone](fitted)
  }
  return line + ' '.repeat(left)
}
