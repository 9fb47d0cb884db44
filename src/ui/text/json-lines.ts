import { exactDigits, type JsonValue } from '../../core/json.ts'
import { jsonText, safeText } from '../../output/safe-text.ts'
import type { Tone } from '../look/theme.ts'

/** A part of a line, with its tone. */
export interface TonedText {
  readonly text: string
  readonly tone: Tone | undefined
}

/** The lines of a value as indented JSON: what leads a line is dim, its scalar has the tone of its kind. */
export interface JsonLine {
  readonly lead: string
  readonly value: TonedText
  readonly end: string
}

/** Deeper levels would be further right than the pane. */
const MOST_DEPTH = 12
const MOST_LINES = 500
const INDENT = 2

type Nested = Extract<JsonValue, object>

export function isNested(value: JsonValue | undefined): value is Nested {
  return typeof value === 'object' && value !== null && exactDigits(value) === undefined
}

/** The tone of a value by its kind. */
export function kindTone(value: JsonValue | undefined): Tone | undefined {
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

interface Place {
  /** The name of the member, after its indent. */
  readonly lead: string
  readonly end: string
  readonly depth: number
}

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

function scalarText(value: JsonValue): string {
  const isLong = typeof value === 'string' && value.length > LONGEST
  const text = safeText(jsonText(isLong ? value.slice(0, LONGEST) : value))
  return isLong ? `${text}… (${value.length} characters)` : text
}
