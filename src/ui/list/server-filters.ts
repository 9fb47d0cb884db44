import { CrmError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { type CrmRecord, FIELDS, filtersOf, resourceOf } from '../../core/resources/registry.ts'
import { shellWords } from '../../core/shell-words.ts'
import { cellText } from '../../output/safe-text.ts'
import type { OfferedFields, ServerList } from '../screens.ts'

export interface FilterWords {
  readonly names: readonly string[]
  readonly values: Readonly<Record<string, readonly string[]>>
  readonly rows: readonly CrmRecord[]
}

const MOST_LOOKED_AT = 2_000

/** The texts that the beginning of a filter line can become: a name with `=`, or a value, quoted where it has blanks. */
export function completeFilter(text: string, { names, values, rows }: FilterWords): readonly string[] {
  const start = lastWordStart(text)
  const [head, word] = [text.slice(0, start), text.slice(start)]
  const at = word.indexOf('=')
  if (at < 0) {
    return names.filter((name) => name.startsWith(word)).map((name) => `${head}${name}=`)
  }
  const name = word.slice(0, at)
  const typed = word
    .slice(at + 1)
    .replace(/^["']/, '')
    .toLowerCase()
  const known = values[name] ?? valuesIn(rows, name.replace(/\[.*$/s, ''))
  return known
    .filter((value) => value.toLowerCase().startsWith(typed))
    .map((value) => `${head}${name}=${quotedFilterValue(value)} `)
}

/** A value of a filter, in double quotes if the line could not be read otherwise. */
function quotedFilterValue(value: string): string {
  return /^[^\s'"\\]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}

/** Distinct, in alphabetical order. */
export function valuesIn(rows: readonly CrmRecord[], name: string): readonly string[] {
  const found = new Set(rows.slice(0, MOST_LOOKED_AT).map((row) => cellText(row[name])))
  found.delete('')
  return [...found].toSorted()
}

/** After the last blank outside of quotes. */
export function lastWordStart(text: string): number {
  let quote = ''
  let start = 0
  for (const [at, char] of Array.from(text).entries()) {
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char === ' ') start = at + 1
  }
  return start
}

export type ServerFilters = Readonly<Record<string, string>>

/**
 * `stage=Won amount[gte]=1000`, with quotes around blanks; an empty text is no filter. Values of one key are alternatives.
 * CrmError `invalid_input` for any other text, because ignoring a filter would show unwanted rows. `offered` is what a connector
 * says of the records.
 */
export function parseServerFilters(text: string, list: ServerList, offered?: OfferedFields): ServerFilters {
  if (text.trim() === '') return {}
  const filters = new Map<string, string>()
  for (const word of wordsOf(text)) {
    const at = word.indexOf('=')
    const [key, value] = [word.slice(0, Math.max(0, at)), word.slice(at + 1)]
    if (key === '' || value === '') {
      throw invalidInput(
        `${JSON.stringify(word)} is not a filter, expected key=value`,
        'no blanks around =, such as stage=Won',
      )
    }
    if (value.endsWith(','))
      throw invalidInput(
        `${JSON.stringify(word)} ends with a comma`,
        'a blank separates filters: stage=Won owner_id=ben',
      )
    if (offered) refuseOther(key, list, offered)
    else refuseValue(key, value, list)
    const before = filters.get(key)
    filters.set(key, before === undefined ? value : `${before},${value}`)
  }
  return Object.fromEntries(filters)
}

function wordsOf(text: string): readonly string[] {
  try {
    return shellWords(text, 'filter')
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    throw invalidInput(
      `${JSON.stringify(text)} is not a filter, expected key=value with closed quotes`,
      'such as name="Deal 1" stage=Won',
    )
  }
}

export function serverFilterText(filters: ServerFilters): string {
  return Object.entries(filters)
    .map(([key, value]) => `${key}=${quotedFilterValue(value)}`)
    .join(' ')
}

/** The server checks filters that crm does not know; a misspelt field, or a text for a number, is rejected here. */
function refuseValue(key: string, value: string, list: ServerList): void {
  const noun = resourceOf(list)
  const name = key.replace(/\[.*$/s, '')
  const known = [...FIELDS[noun], ...filtersOf(noun)]
  const meant = known.includes(name) ? undefined : nearest(name, known)
  if (meant !== undefined) throw invalidInput(`no field of a ${noun} is called ${name}`, `did you mean ${meant}?`)
  if (name !== 'amount' || value.split(',').every((each) => isNumber(each))) return
  throw invalidInput(`${key} is ${JSON.stringify(value)}, expected a number`, 'such as amount[gte]=1000')
}

function refuseOther(key: string, list: ServerList, { by, filters }: OfferedFields): void {
  if (filters === 'any' || filters.includes(key)) return
  throw invalidInput(`${by} has no filter ${JSON.stringify(key)} of ${list}`, `it has ${filters.join(', ')}`)
}

/** The first filter that a row contradicts: a server that does not know it answers with all rows. */
export function ignoredFilter(filters: ServerFilters, rows: readonly CrmRecord[]): string | undefined {
  const found = Object.entries(filters).find(([key, value]) => rows.some((row) => differs(row, key, value)))
  return found && serverFilterText(Object.fromEntries([found]))
}

/** Whether a row contradicts one of the filters, as far as its members tell: it may have been changed since the answer. */
export function contradicts(row: CrmRecord, filters: ServerFilters): boolean {
  return Object.entries(filters).some(([key, value]) => differs(row, key, value) || isOutside(row, key, value))
}

function differs(row: CrmRecord, key: string, value: string): boolean {
  return Object.hasOwn(row, key) && !value.toLowerCase().split(',').includes(cellText(row[key]).toLowerCase())
}

/** `amount[gte]` and `amount[lte]`. */
function isOutside(row: CrmRecord, key: string, value: string): boolean {
  const [, name = '', bound] = /^(.+)\[(gte|lte)\]$/.exec(key) ?? []
  const own = row[name]
  if (typeof own !== 'number' || !isNumber(value)) return false
  return bound === 'gte' ? own < Number(value) : own > Number(value)
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text))
}

export function invalidInput(message: string, hint: string): CrmError {
  return new CrmError('invalid_input', message, { hint })
}
