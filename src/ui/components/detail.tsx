import { exactDigits, isJsonObject, type JsonValue, jsonIn } from '../../core/json.ts'
import { recordTimeMs } from '../../core/record-time.ts'
import { type CrmRecord, isReadOnly } from '../../core/resources/registry.ts'
import { cellText, jsonText, safeText } from '../../output/safe-text.ts'
import { fitText, textWidth, wrapText } from '../../output/terminal-text.ts'
import { TO } from '../background/event-row.ts'
import { fitCell, shortTime, type TimeStyle } from '../list/columns.ts'
import { resultTone, type Theme, type Tone, toneOf } from '../look/theme.ts'
import type { RecordHistory, RecordNotes } from '../state.ts'
import { diffLine, type EventDiff, historyLines, type PaneArea } from '../text/diff.ts'

export type TonedText = { readonly text: string; readonly tone: Tone | undefined }
/** The lines of a value as indented JSON: what leads a line is dim, its scalar has the tone of its kind. */
export type JsonLine = { readonly lead: string; readonly value: TonedText; readonly end: string }

/** Deeper levels would be further right than the pane. */
const MOST_DEPTH = 12
const MOST_LINES = 500
const INDENT = 2

type Nested = Extract<JsonValue, object>

function isNested(value: JsonValue | undefined): value is Nested {
  return typeof value === 'object' && value !== null && exactDigits(value) === undefined
}

function kindTone(value: JsonValue | undefined): Tone | undefined {
  if (value === null) return 'dim'
  return typeof value === 'number' || typeof value === 'boolean' || exactDigits(value) ? 'accent' : undefined
}

export function jsonLines(value: Nested): readonly JsonLine[] {
  const lines: JsonLine[] = []
  addLines(lines, value, { lead: '', end: '', depth: 0 })
  if (lines.length <= MOST_LINES) return lines
  const left = `… (more than ${MOST_LINES} lines)`
  return [...lines.slice(0, MOST_LINES), { lead: '', value: { text: left, tone: 'dim' }, end: '' }]
}

type Place = { readonly lead: string; readonly end: string; readonly depth: number }

function addLines(lines: JsonLine[], value: JsonValue, { lead, end, depth }: Place): void {
  if (lines.length > MOST_LINES) return
  if (!isNested(value)) {
    lines.push({ lead, value: { text: scalarText(value), tone: kindTone(value) }, end })
    return
  }
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const flat = flatText(value)
  const whole = flat ?? (depth >= MOST_DEPTH ? `${open}…${close}` : undefined)
  if (whole !== undefined) {
    lines.push({ lead: lead + whole + end, value: { text: '', tone: undefined }, end: '' })
    return
  }
  lines.push({ lead: lead + open, value: { text: '', tone: undefined }, end: '' })
  const inside = ' '.repeat((depth + 1) * INDENT)
  const members = Object.entries(value)
  for (const [at, [name, member]] of members.entries()) {
    const named = Array.isArray(value) ? inside : `${inside}${scalarText(name)}: `
    addLines(lines, member, { lead: named, end: at < members.length - 1 ? ',' : '', depth: depth + 1 })
  }
  lines.push({ lead: ' '.repeat(depth * INDENT) + close + end, value: { text: '', tone: undefined }, end: '' })
}

const SHORT = 40

/** An empty value, and a short list of scalars, on one line. */
function flatText(value: Nested): string | undefined {
  if (Object.keys(value).length === 0) return Array.isArray(value) ? '[]' : '{}'
  if (!Array.isArray(value) || value.some(isNested)) return undefined
  const text = `[${value.map(scalarText).join(', ')}]`
  return text.length <= SHORT ? text : undefined
}

const LONGEST = 4_000

function cutText<Value>(value: Value | string, textOf: (value: Value | string) => string): string {
  if (typeof value !== 'string' || value.length <= LONGEST) return textOf(value)
  return `${textOf(value.slice(0, LONGEST))}… (${value.length} characters)`
}

function scalarText(value: JsonValue): string {
  return cutText(value, (shown) => safeText(jsonText(shown)))
}

/** The value of a member in lines of exactly this width, with the tone of its kind; objects and lists as indented JSON. */
function valueLines(name: string, value: JsonValue | undefined, area: PaneArea): readonly string[] {
  const { width, theme } = area
  const nested = isNested(value) ? value : bodyOf(name, value)
  if (nested !== undefined) return jsonLines(nested).flatMap((line) => paintedJson(line, area))
  const text = ATTEMPT.test(name) ? attemptText(String(value), width) : valueText(value)
  const tone = DELIVERY.test(name) ? resultTone(String(value)) : (toneOf(name, value) ?? kindTone(value))
  const lines = wrapText(text, width).map((text): readonly TonedText[] => [{ text, tone }])
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

/** ` · 2 d` after a time, which is whole. */
function ageText(name: string, value: JsonValue | undefined, { isWhole, nowMs }: TimeStyle): string {
  const short = name.endsWith('_at') && !isWhole ? shortTime(value, nowMs) : ''
  return short === '' || cellText(value).startsWith(short) ? '' : ` · ${short}`
}

function valueText(value: JsonValue | undefined): string {
  return value === null ? 'null' : cutText(value, cellText)
}

const LEAST_ROOM = 12

/** A value that has no room beside its name is below it. */
function paintedJson({ lead, value, end }: JsonLine, { width, theme }: PaneArea): readonly string[] {
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

export interface DetailParts {
  readonly row: CrmRecord
  readonly notes: Pick<RecordNotes, 'items' | 'cut'> | undefined
  readonly history?: RecordHistory | undefined
  readonly top: number
  readonly times: TimeStyle
  readonly diff: EventDiff | undefined
}

/** Every member of the row, and notes if the server lists them; lines that do not fit are counted. */
export function detailLines(
  detail: DetailParts,
  { width, height }: { readonly width: number; readonly height: number },
  theme: Theme,
): readonly string[] {
  const lines = allLines(detail, width, theme)
  const top = Math.max(0, Math.min(detail.top, lines.length - height))
  const shown = lines.slice(top, top + height)
  const below = lines.length - top - height
  if (below > 0) shown[height - 1] = theme.dim(fitCell(`… ${below + 1} more lines, J scrolls`, width))
  while (shown.length < height) shown.push(' '.repeat(width))
  return shown
}

/** Members set by the server are last. */
function allLines({ row, notes, history, times, diff }: DetailParts, width: number, theme: Theme): string[] {
  const names = Object.keys(row).toSorted((one, other) => Number(isReadOnly(one)) - Number(isReadOnly(other)))
  const nameWidth = Math.min(16, Math.max(4, ...names.map((name) => textWidth(cellText(name).slice(0, 16)))))
  const lines: string[] = []
  if (diff) lines.push(...eventDiffLines(diff, { width, theme, times }))
  let isNoted = false
  for (const name of names) {
    if (!isNoted && isReadOnly(name)) {
      lines.push(...noteLines(notes, { width, theme, times }))
      isNoted = true
    }
    const head = `${fitCell(cellText(name), nameWidth)}  `
    const room = width - nameWidth - 2
    const values = valueLines(name, row[name], { width: room, theme, times })
    lines.push(...values.map((line, at) => (at === 0 ? theme.dim(head) : ' '.repeat(head.length)) + line))
  }
  if (!isNoted) lines.push(...noteLines(notes, { width, theme, times }))
  return [...lines, ...historyLines(history, { width, theme, times })]
}

function eventDiffLines(diff: EventDiff, { width, theme, times }: PaneArea): readonly string[] {
  const { before, lines, unstated } = diff
  const dim = (text: string) => theme.dim(fitCell(text, width))
  if (!before && !lines) return [dim('no earlier event of this record is loaded')]
  const head = theme.bold(fitCell(before ? sinceText(before, times) : 'changes that the event states', width))
  if (!lines) return [head, dim('  not compared: a body has no data, is not JSON, or is too long')]
  const none = lines.length === 0 ? [dim('  no member has changed')] : []
  const left = unstated > 0 ? [dim(`  ${unstated} of its members are not in this event`)] : []
  return [head, ...lines.map((line) => diffLine(line, width, theme)), ...none, ...left]
}

function sinceText({ event, received_at: received }: CrmRecord, { isWhole, nowMs }: TimeStyle): string {
  return `since ${cellText(event)} ${isWhole ? cellText(received) : shortTime(received, nowMs)}`
}

/** The notes of a record as a timeline, the newest first. */
function noteLines(
  notes: Pick<RecordNotes, 'items' | 'cut'> | undefined,
  { width, theme, times }: PaneArea,
): readonly string[] {
  if (!notes) return []
  // Notes without a time are last, in the order of the server.
  const timeOf = (note: CrmRecord) => recordTimeMs(note.created_at) || 0
  const items = notes.items.toSorted((one, other) => timeOf(other) - timeOf(one))
  const count = items.length > 0 ? [theme.bold(fitCell(`notes (${items.length})`, width))] : []
  const entries = items.flatMap((note, at) => {
    const isLast = at === items.length - 1
    const body = wrapText(valueText(note.body), width - 2)
    return [
      theme.accent('●') + theme.bold(fitCell(` ${headText(note, times)}`, width - 1)),
      ...body.map((line) => theme.dim(isLast ? '  ' : '│ ') + fitCell(line, width - 2)),
    ]
  })
  const cut = notes.cut === undefined ? [] : wrapText(safeText(notes.cut), width)
  return [...count, ...entries, ...cut.map((line) => theme.warn(fitCell(line, width)))]
}

function headText({ created_at: time, author_id: author }: CrmRecord, times: TimeStyle): string {
  return [whenText(time, times), ...(typeof author === 'string' ? [cellText(author)] : [])].join(' · ')
}

/** `2026-11-24 · 2 d`, or whole. */
function whenText(time: JsonValue | undefined, { nowMs, isWhole }: TimeStyle): string {
  if (typeof time !== 'string') return 'no date'
  if (isWhole) return cellText(time)
  const date = cellText(time.slice(0, 10))
  const short = shortTime(time, nowMs)
  return short === date ? date : `${date} · ${short}`
}
