import { idText, isJsonObject, type JsonObject, type JsonValue, jsonIn, parseExactJson } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import { isDay } from '../../core/record-time.ts'
import { isOfNumericType, NUMERIC_TYPES, type NumericType } from '../../core/resources/field.ts'
import { fieldOf, type Resource } from '../../core/resources/registry.ts'
import type { ColumnType } from '../../output/record-output.ts'
import { jsonText } from '../../output/safe-text.ts'
import type { Choices, FindingCode } from './row.ts'

/** `nested`: a list or an object as JSON, else a text; `list`: texts. */
export type CellType = ColumnType | 'nested' | 'list'

export interface WrongValue {
  readonly code: FindingCode
  /** In lower case: what was expected. */
  readonly message: string
}

export type Converted = { readonly value: JsonValue } | { readonly fault: WrongValue }

/** The text of a cell to its value. */
export type Convert = (text: string) => Converted

/** Converts a non-empty cell. A number keeps all its digits. */
export function convertCell(text: string, type: CellType): Converted {
  switch (type) {
    case 'text':
      return { value: text }
    case 'nested':
      return { value: nestedIn(text) ?? text }
    case 'list':
      return toList(text)
    case 'number':
    case 'integer':
      return toNumber(text.trim(), type)
    case 'boolean':
      return toBoolean(text.trim().toLowerCase())
    case 'json':
      return toJson(text)
  }
}

/** The list or object of which a text is the JSON. */
export function nestedIn(text: string): JsonValue[] | JsonObject | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  const value = jsonIn(text)
  return Array.isArray(value) || isJsonObject(value) ? value : undefined
}

/** RFC 8259, 6. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

const NOT_OF_TYPE = { number: 'not_a_number', integer: 'not_an_integer' } as const

function toNumber(text: string, type: NumericType): Converted {
  const value = NUMBER.test(text) ? parseExactJson(text) : null
  if (isOfNumericType(value, type)) return { value }
  const { expected, example } = NUMERIC_TYPES[type]
  return { fault: { code: NOT_OF_TYPE[type], message: `expected ${expected} such as ${example}${numberAdvice(text)}` } }
}

function numberAdvice(text: string): string {
  if (/^-?\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d+)?$/.test(text)) return ', without thousands separators'
  if (/^-?\d+,\d+$/.test(text)) return ', with a decimal point instead of a comma'
  return /[$€£¥%]|[A-Z]{3}/.test(text) ? ', without currency or unit' : ''
}

function toList(text: string): Converted {
  const value = listIn(text)
  const hasNone = value?.length === 0 && !text.includes('[')
  return value && !hasNone
    ? { value: [...value] }
    : { fault: { code: 'wrong_type', message: 'expected texts, with ; between them' } }
}

function toBoolean(text: string): Converted {
  if (text === 'true' || text === 'false') return { value: text === 'true' }
  return { fault: { code: 'not_a_boolean', message: 'expected true or false' } }
}

function toJson(text: string): Converted {
  try {
    return { value: parseExactJson(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { fault: { code: 'not_json', message: `expected JSON: ${error.message.split('\n', 1).join()}` } }
  }
}

/** The values of a cell of a field that has several: a JSON list, or texts with semicolons between them. */
function listIn(text: string): readonly string[] | undefined {
  const list = nestedIn(text) ?? text.split(';').flatMap((each) => each.trim() || [])
  return Array.isArray(list) && list.every((each) => typeof each === 'string') ? [...new Set(list)] : undefined
}

/** As records show them: one value alone is no list. */
function severalIn(text: string): JsonValue {
  const several = nestedIn(text) ?? [...(listIn(text) ?? [])]
  return Array.isArray(several) && several.length < 2 ? (several[0] ?? '') : several
}

/** Checks a value by what is known of its field; an option is written in the letters that it has. Undefined: anything is right. */
export function checkField(kind: Resource, name: string): ((value: JsonValue) => Converted) | undefined {
  const { options, type } = fieldOf(kind, name) ?? {}
  if (!options && type !== 'date') return undefined
  const read = options ? (value: JsonValue) => optionIn(options, value) : dayIn
  return (value) => {
    if (Array.isArray(value)) return eachOf(value, read)
    return value === null ? { value } : read(value)
  }
}

/** Checks a value by the options that a server lists, which may be named by their labels. Without them, a text becomes a list. */
export function checkChoices({ options, isMany, isList }: Choices): (value: JsonValue) => Converted {
  if (!options) return (value) => ({ value: typeof value === 'string' ? severalIn(value) : value })
  const values = new Map(
    options.flatMap(({ value, label }) => [[label, value] as const, [String(value), value] as const]),
  )
  const names = [...values.keys()]
  const read = (value: JsonValue) => {
    const found = optionIn(names, value)
    return 'value' in found ? { value: values.get(String(found.value)) ?? value } : found
  }
  return (value) => {
    if (value === null || value === '') return { value }
    if (!isMany) return read(idText(value) ?? value)
    const all = eachOf(listIn(typeof value === 'string' ? value : JSON.stringify(value)) ?? [value], read)
    return 'value' in all && Array.isArray(all.value) && !isList ? { value: all.value.join(';') } : all
  }
}

/** The first fault of a list, or its values. */
function eachOf(values: readonly JsonValue[], read: (value: JsonValue) => Converted): Converted {
  const all = values.map(read)
  const fault = all.find((each) => 'fault' in each)
  return fault ?? { value: all.flatMap((each) => ('value' in each ? [each.value] : [])) }
}

function optionIn(options: readonly string[], value: JsonValue): Converted {
  const shown = shownValue(value).trim()
  const found =
    options.find((each) => each === shown) ?? options.find((each) => each.toLowerCase() === shown.toLowerCase())
  if (found !== undefined) return { value: found }
  return { fault: { code: 'not_allowed', message: expectedOne(options, shown) } }
}

/** The value as messages show it. */
export function shownValue(value: JsonValue): string {
  return typeof value === 'string' ? value : jsonText(value)
}

const MOST_OPTIONS = 10

/** What was meant by a text that is none of these. */
export function expectedOne(options: readonly string[], text: string): string {
  const meant = nearest(text, options)
  if (meant !== undefined) return `did you mean ${meant}?`
  const more = options.length > MOST_OPTIONS ? `, and ${options.length - MOST_OPTIONS} more` : ''
  return `expected one of ${options.slice(0, MOST_OPTIONS).join(', ')}${more}`
}

function dayIn(value: JsonValue): Converted {
  if (typeof value === 'string' && isDay(value)) return { value }
  return { fault: { code: 'not_a_date', message: 'expected a day such as 2026-01-31, without a time' } }
}
