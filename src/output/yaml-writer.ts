import { exactDigits, isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import type { FormatWriter } from './record-output.ts'
import { jsonText, safeText, withinStack } from './safe-text.ts'

/** Texts that every reader takes for texts: YAML 1.2 (6.9, 7.3.3), and 1.1 with its dates, base 60 and twelve booleans. */
const PLAIN = /^[\p{L}_][\p{L}\p{M}\d_@./-]*(?: [\p{L}\p{M}\d_@./-]+)*$/u
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null)$/i

/** Readers of YAML 1.1 take `1e21` for a text, and `1.0e+21` for a number. */
const EXPONENT = /^(-?\d+)(\.\d+)?[eE]([+-])?/

/** A key on one line with its value may have 1,024 characters (8.2.2); an escape takes up to six per character. */
const LONGEST_KEY = 150

/** One list, or `[]`; each record is an item, so that pages can be appended. */
export function createYamlWriter(): FormatWriter {
  let isEmpty = true
  return {
    page(records) {
      if (records.length > 0) isEmpty = false
      return withinStack(() => records.map((record) => `-${behind(record, '', '  ')}\n`).join(''))
    },
    end: () => (isEmpty ? '[]\n' : ''),
    single: (record) => withinStack(() => `${block(record, '') || '{}'}\n`),
    notes: () => [],
  }
}

/** A value after a `-` or a key: a block begins on the same line after `-`, and on the next line after a key. */
function behind(value: JsonValue, separator: string, indent: string): string {
  const lines = isJsonObject(value) || Array.isArray(value) ? block(value, indent) : ''
  if (lines === '') return ` ${scalar(value)}`
  return separator === '' ? ` ${lines.slice(indent.length)}` : `${separator}${lines}`
}

function block(value: JsonObject | JsonValue[], indent: string): string {
  if (Array.isArray(value)) return value.map((item) => `${indent}-${behind(item, '', `${indent}  `)}`).join('\n')
  return Object.entries(value)
    .map(([name, member]) => {
      if (name.length > LONGEST_KEY) return `${indent}? ${text(name)}\n${indent}:${behind(member, '', `${indent}  `)}`
      return `${indent}${text(name)}:${behind(member, '\n', `${indent}  `)}`
    })
    .join('\n')
}

function scalar(value: JsonValue): string {
  if (typeof value === 'string') return text(value)
  const digits = typeof value === 'number' ? jsonText(value) : exactDigits(value)
  if (digits !== undefined)
    return digits.replace(EXPONENT, (_, whole, rest = '.0', sign = '+') => `${whole}${rest}e${sign}`)
  return isJsonObject(value) ? '{}' : Array.isArray(value) ? '[]' : String(value)
}

/** Quoted as JSON, which is valid YAML (1.2, 7.3.1). */
function text(value: string): string {
  return PLAIN.test(value) && !RESERVED.test(value) && safeText(value) === value ? value : jsonText(value)
}
