import { CrmError } from '../../core/errors.ts'
import { type JsonValue, parseExactJson } from '../../core/json.ts'
import type { FindingCode } from './row.ts'

/** RFC 8259, 6. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

export const CELL_TYPES = ['text', 'number', 'integer', 'boolean', 'json'] as const

export type CellType = (typeof CELL_TYPES)[number]

/** One part of `--map`. */
export interface Mapping {
  /** The name of the column in the input. */
  readonly column: string
  /** Undefined drops the column. */
  readonly field: string | undefined
  /** Undefined: the documented type of the field, else text. */
  readonly type: CellType | undefined
}

const EXPECTED =
  'expected --map COLUMN=FIELD, COLUMN=FIELD:number (or integer, boolean, json, text), or COLUMN= to leave it out'

/** A column name with a comma is double-quoted: `--map '"Last, first"=name'`. */
const PART = /\s*(?:"((?:[^"]|"")*)"|([^",=][^,=]*))\s*=([^,]*)(?:,|$)/y

/** Parses `Email=email,Score=score:number,Fax=`; uses of the flag add up. */
export function parseMap(texts: readonly string[]): ReadonlyMap<string, Mapping> {
  const mappings = new Map<string, Mapping>()
  for (const text of texts) {
    PART.lastIndex = 0
    for (let at = 0; at < text.length; at = PART.lastIndex) {
      PART.lastIndex = at
      const mapping = readPart(PART.exec(text), text)
      if (mappings.has(mapping.column)) {
        throw new CrmError('usage', `--map names the column ${JSON.stringify(mapping.column)} twice`, {
          hint: EXPECTED,
        })
      }
      mappings.set(mapping.column, mapping)
    }
  }
  return mappings
}

function readPart(match: RegExpExecArray | null, text: string): Mapping {
  if (!match) throw new CrmError('usage', `--map ${JSON.stringify(text)} is not COLUMN=FIELD`, { hint: EXPECTED })
  const [, quoted, plain = '', target = ''] = match
  const column = quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"')
  const [, field = '', type] = /^(.*?)(?::(\w*))?$/s.exec(target.trim()) ?? []
  if (type !== undefined && !isCellType(type)) {
    throw new CrmError('usage', `--map ${column}=${target}: ${JSON.stringify(type)} is not a type`, { hint: EXPECTED })
  }
  return { column, field: field === '' ? undefined : field, type }
}

function isCellType(type: string): type is CellType {
  return (CELL_TYPES as readonly string[]).includes(type)
}

interface Fault {
  readonly code: FindingCode
  /** In lower case: what was expected. */
  readonly message: string
}

export type Converted = { readonly value: JsonValue } | { readonly fault: Fault }

/** Converts a non-empty cell. A number keeps all its digits. */
export function convertCell(text: string, type: CellType): Converted {
  switch (type) {
    case 'text':
      return { value: text }
    case 'number':
      return toNumber(text.trim())
    case 'integer':
      return toInteger(text.trim())
    case 'boolean':
      return toBoolean(text.trim().toLowerCase())
    case 'json':
      return toJson(text)
  }
}

function toNumber(text: string): Converted {
  if (NUMBER.test(text) && Number.isFinite(Number(text))) return { value: parseExactJson(text) }
  return { fault: { code: 'not_a_number', message: `expected a number such as 1200.5${numberAdvice(text)}` } }
}

function toInteger(text: string): Converted {
  if (NUMBER.test(text) && Number.isInteger(Number(text))) return { value: parseExactJson(text) }
  return { fault: { code: 'not_an_integer', message: `expected a whole number such as 1200${numberAdvice(text)}` } }
}

function numberAdvice(text: string): string {
  if (/^-?\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d+)?$/.test(text)) return ', without thousands separators'
  if (/^-?\d+,\d+$/.test(text)) return ', with a decimal point instead of a comma'
  return /[$€£¥%]|[A-Z]{3}/.test(text) ? ', without currency or unit' : ''
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
