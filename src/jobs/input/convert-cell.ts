import { parseExactJson } from '../../core/exact-json.ts'
import type { JsonValue } from '../../core/json.ts'
import type { CellType } from './parse-map.ts'
import type { FindingCode } from './row.ts'

export interface Fault {
  readonly code: FindingCode
  /** In lower case: what was expected. */
  readonly message: string
}

export type Converted = { readonly value: JsonValue } | { readonly fault: Fault }

/** RFC 8259, 6. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** A cell that is not empty. A number keeps its digits, however many there are. */
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
  if (/^-?\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d+)?$/.test(text)) return ', without separators between the thousands'
  if (/^-?\d+,\d+$/.test(text)) return ', with a point and no comma'
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
