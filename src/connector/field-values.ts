import { compareDecimals, decimalJson, decimalOf, decimalText, shifted } from '../core/decimal.ts'
import { htmlOf, textOfHtml } from '../core/html.ts'
import { idText, isSameJson, type JsonValue, parseExactJson } from '../core/json.ts'
import type { ResourceDocument, ValueType, WireForm } from './document.ts'

/** Between the value that crm shows and the one that the server keeps. */
export interface Conversion {
  /** For messages. */
  readonly expected: string
  /** What cannot be converted is shown unchanged. */
  read(raw: JsonValue): JsonValue
  /** Undefined for a value that the field cannot have. */
  write(shown: JsonValue): JsonValue | undefined
}

const SAME = (value: JsonValue): JsonValue => value

const ANY: Conversion = { expected: 'any JSON', read: SAME, write: SAME }

/** Servers show some texts, such as telephone numbers, as numbers. */
const TEXT: Conversion = {
  expected: 'a text',
  read: (raw) => (typeof raw === 'string' ? raw : (idText(raw) ?? raw)),
  write: (shown) => idText(shown) ?? shown,
}

/** A text here, HTML there. */
const HTML: Conversion = {
  expected: 'a text',
  read: (raw) => (typeof raw === 'string' ? textOfHtml(raw) : TEXT.read(raw)),
  write: (shown) => {
    const text = idText(shown)
    return text === undefined ? shown : htmlOf(text)
  },
}

export function conversionOf(type: ValueType, as: WireForm | undefined): Conversion {
  switch (type) {
    case 'any':
    case 'boolean':
      return ANY
    case 'html':
      return HTML
    case 'string':
      return as === 'integer' ? idConversion(as) : TEXT
    case 'id':
      return idConversion(as)
    case 'number':
    case 'integer':
      return numberConversion(type, as)
    case 'time':
      return timeConversion(as ?? 'rfc3339')
    case 'date':
      return dateConversion(as)
  }
}

function idConversion(as: WireForm | undefined): Conversion {
  const isInteger = as === 'integer'
  return {
    expected: isInteger ? 'a whole number' : 'an id',
    read: (raw) => (typeof raw === 'string' ? raw : (idText(raw) ?? raw)),
    write: (shown) => {
      const text = idText(shown)
      if (text === undefined) return isInteger ? undefined : shown
      if (!isInteger) return text
      return /^-?(?:0|[1-9]\d{0,30})$/.test(text) ? parseExactJson(text) : undefined
    },
  }
}

function numberConversion(type: 'number' | 'integer', as: WireForm | undefined): Conversion {
  if (as === 'cents') return CENTS
  return {
    expected: type === 'integer' ? 'a whole number' : 'a number',
    read: (raw) => (typeof raw === 'string' ? numberIn(raw) : raw),
    write: (shown) => {
      const decimal = decimalOf(shown)
      if (!decimal) return undefined
      const text = decimalText(decimal)
      if (type === 'integer' && text.includes('.')) return undefined
      return as === 'string' ? text : decimalJson(decimal)
    },
  }
}

const CENTS: Conversion = {
  expected: 'an amount with at most two decimals',
  read: (raw) => {
    const cents = decimalOf(raw)
    return cents ? decimalJson(shifted(cents, -2)) : raw
  },
  write: (shown) => {
    const amount = decimalOf(shown)
    const cents = amount && shifted(amount, 2)
    return cents && !decimalText(cents).includes('.') ? decimalJson(cents) : undefined
  },
}

/** A text whose digits a double cannot hold stays one. */
function numberIn(text: string): JsonValue {
  const decimal = /^-?\d/.test(text) ? decimalOf(text) : undefined
  if (!decimal) return text
  const value = Number(text)
  if (text.length <= 15) return value
  const isExact = Number.isSafeInteger(value) || !Number.isInteger(value)
  const back = isExact ? decimalOf(value) : undefined
  return back && compareDecimals(back, decimal) === 0 ? value : text
}

const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(?::(\d\d)(\.\d{1,9})?\d*)?(Z|z|[+-]\d\d:?\d\d)?$/

interface Instant {
  /** Whole seconds since 1970. */
  readonly seconds: number
  /** `.250`, or nothing. */
  readonly fraction: string
}

/** A time without a zone is in UTC. */
function instantOf(text: string): Instant | undefined {
  const match = TIME.exec(DAY.test(text) ? `${text}T00:00` : text)
  if (!match) return undefined
  const [, day = '', minutes = '', seconds = '00', fraction = '', zone = 'Z'] = match
  const dayMs = Date.parse(`${day}T00:00:00Z`)
  // Date.parse takes 30 February for 2 March.
  if (Number.isNaN(dayMs) || new Date(dayMs).toISOString().slice(0, 10) !== day) return undefined
  const timeMs = Date.parse(`${day}T${minutes}:${seconds}${zone === 'z' ? 'Z' : zone}`)
  return Number.isNaN(timeMs) ? undefined : { seconds: timeMs / 1000, fraction }
}

function timeText({ seconds, fraction }: Instant): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${fraction}Z`
}

/** The years that RFC 3339 can express. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Of a number of seconds or milliseconds; undefined beyond those years. */
function instantAt(raw: JsonValue, unit: 'unix' | 'unix_ms'): Instant | undefined {
  const number = typeof raw === 'number' ? raw : typeof raw === 'string' && /^-?\d{1,15}$/.test(raw) ? Number(raw) : NaN
  const timeMs = Math.round(unit === 'unix' ? number * 1000 : number)
  if (!(timeMs >= FIRST_MS && timeMs <= LAST_MS)) return undefined
  const seconds = Math.floor(timeMs / 1000)
  const restMs = timeMs - seconds * 1000
  return { seconds, fraction: restMs === 0 ? '' : `.${String(restMs).padStart(3, '0')}` }
}

function timeConversion(as: WireForm): Conversion {
  const expected = 'a time such as 2026-05-01T09:30:00Z'
  if (as === 'string') return { expected, read: SAME, write: (shown) => (instantIn(shown) ? shown : undefined) }
  return {
    expected,
    read: (raw) => {
      if (as === 'unix' || as === 'unix_ms') return shownTime(instantAt(raw, as), raw)
      // The usual case costs no date.
      if (typeof raw !== 'string' || (raw[10] === 'T' && raw.endsWith('Z'))) return raw
      return DAY.test(raw) ? raw : shownTime(instantOf(raw), raw)
    },
    write: (shown) => {
      const instant = instantIn(shown)
      return instant && wireTime(instant, as, shown)
    },
  }
}

function instantIn(shown: JsonValue): Instant | undefined {
  return typeof shown === 'string' ? instantOf(shown) : undefined
}

function shownTime(instant: Instant | undefined, raw: JsonValue): JsonValue {
  return instant ? timeText(instant) : raw
}

function wireTime(instant: Instant, as: WireForm, shown: JsonValue): JsonValue {
  const { seconds, fraction } = instant
  if (as === 'unix') return seconds
  if (as === 'unix_ms') return seconds * 1000 + Math.floor(Number(`0${fraction}`) * 1000)
  if (as === 'YYYY-MM-DD hh:mm:ss') return timeText({ seconds, fraction: '' }).slice(0, 19).replace('T', ' ')
  return DAY.test(String(shown)) ? timeText(instant) : shown
}

function dateConversion(as: WireForm | undefined): Conversion {
  return {
    expected: 'a date such as 2026-05-01',
    read: (raw) => {
      if (as === 'unix' || as === 'unix_ms') {
        const instant = instantAt(raw, as)
        return instant ? timeText(instant).slice(0, 10) : raw
      }
      return typeof raw === 'string' && /^\d{4}-\d\d-\d\d[T ]/.test(raw) ? raw.slice(0, 10) : raw
    },
    write: (shown) => {
      const instant = typeof shown === 'string' && DAY.test(shown) ? instantOf(shown) : undefined
      if (!instant || as === undefined || as === 'string') return instant && shown
      return wireTime(instant, as, shown)
    },
  }
}

/** Whether two values of the type are equal: numbers by their value, times by the instant, others by their text. */
export function isSameValue(one: JsonValue, other: JsonValue, type: ValueType): boolean {
  if (isSameJson(one, other)) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, at) => isSameValue(each, other[at] ?? null, type))
  }
  if (type === 'number' || type === 'integer') {
    const [first, second] = [decimalOf(one), decimalOf(other)]
    return first !== undefined && second !== undefined && compareDecimals(first, second) === 0
  }
  if (type === 'time') {
    const [first, second] = [instantIn(one), instantIn(other)]
    return (
      first?.seconds === second?.seconds &&
      first !== undefined &&
      Number(`0${first.fraction}`) === Number(`0${second?.fraction}`)
    )
  }
  const [text, otherText] = [idText(one), idText(other)]
  if (type === 'html') return text !== undefined && withPlainLines(text) === withPlainLines(otherText ?? '')
  return text !== undefined && text === otherText
}

/** HTML does not keep how a line ends. */
function withPlainLines(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

/** A value as the server compares it: a text without blanks around it, in small letters where case is ignored. */
export function keyValue(field: string, value: JsonValue, { fields, id }: ResourceDocument): JsonValue {
  const document = Object.hasOwn(fields, field) ? fields[field] : undefined
  const text = typeof value === 'string' ? value.trim().normalize('NFC') : value
  if (field === 'id') return id.type === 'integer' ? (conversionOf('integer', undefined).write(text) ?? text) : text
  if (!document) return text
  const folded = document.fold && typeof text === 'string' ? text.toLowerCase() : text
  return conversionOf(document.type, document.as).write(folded) ?? folded
}
