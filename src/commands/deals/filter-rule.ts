import { compareDecimals, decimalOf } from '../../core/decimal.ts'
import { foldedText } from '../../core/folded-text.ts'
import type { JsonValue } from '../../core/json.ts'
import { cellText, jsonText } from '../../output/value-text.ts'

/** `unclear`: a server that applies the filter may return this record, for example by a search for parts of texts. */
export type FilterMatch = 'agrees' | 'contradicts' | 'unclear'

/** What a filter of the contract means for one member of a record. */
export interface FilterRule {
  readonly member: string
  /** The values that are alternatives, folded; empty for a range. */
  readonly alternatives: readonly string[]
  matchOf(value: JsonValue): FilterMatch
  /** The same choice for `--where`; `value` is one that contradicts. */
  whereFor(value: JsonValue): string
}

export function filterRule(name: string, text: string): FilterRule {
  if (name === 'created_since') return timeRule(text, 1)
  if (name === 'created_until') return timeRule(text, -1)
  const range = /^(.+)\[(gte|lte)\]$/.exec(name)
  if (range) return numberRule(range[1] ?? '', text, range[2] === 'gte' ? 1 : -1)
  return equalityRule(name, text)
}

function equalityRule(member: string, text: string): FilterRule {
  const values = text.split(',')
  const alternatives = [...new Set(values.map((value) => fold(value)))]
  const numbers = values.flatMap((value) => decimalOf(value) ?? [])
  return {
    member,
    alternatives,
    matchOf: (value) => {
      const own = fold(cellText(value))
      if (alternatives.includes(own) || own === fold(text)) return 'agrees'
      const number = decimalOf(value)
      const isPlain = typeof value === 'string' || typeof value === 'boolean' || number !== undefined
      if (!isPlain || own === '') return 'unclear'
      if (number) return numbers.some((each) => compareDecimals(each, number) === 0) ? 'agrees' : 'contradicts'
      return alternatives.some((each) => own.includes(each)) ? 'unclear' : 'contradicts'
    },
    whereFor: (value) => {
      const literal = (each: string) => (typeof value === 'string' || !decimalOf(each) ? jsonText(each) : each)
      return values.map((each) => `${jqMember(member)} == ${literal(each)}`).join(' or ')
    },
  }
}

function numberRule(member: string, text: string, sign: 1 | -1): FilterRule {
  const bound = decimalOf(text)
  return {
    member,
    alternatives: [],
    matchOf: (value) => {
      const number = decimalOf(value)
      if (!bound || !number) return 'unclear'
      return compareDecimals(number, bound) * sign >= 0 ? 'agrees' : 'contradicts'
    },
    whereFor: (value) => {
      const number = typeof value === 'string' ? `(${jqMember(member)} | tonumber)` : jqMember(member)
      return `${number} ${sign === 1 ? '>=' : '<='} ${text}`
    },
  }
}

const SECOND_MS = 1000
const TWO_DAYS_MS = 2 * 86_400_000

/** Servers may show whole seconds, read a date as its end, and read a time without an offset in any zone. */
function timeRule(text: string, sign: 1 | -1): FilterRule {
  const boundMs = Date.parse(text)
  return {
    member: 'created_at',
    alternatives: [],
    matchOf: (value) => {
      const timeMs = typeof value === 'string' ? Date.parse(value) : Number.NaN
      const aheadMs = (timeMs - boundMs) * sign
      if (Number.isNaN(aheadMs)) return 'unclear'
      const slackMs = [text, String(value)].every((each) => /T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(each))
        ? SECOND_MS
        : TWO_DAYS_MS
      if (aheadMs >= 0) return 'agrees'
      return aheadMs < -slackMs ? 'contradicts' : 'unclear'
    },
    whereFor: () => `(.created_at | age) ${sign === 1 ? '<=' : '>='} (${jsonText(text)} | age)`,
  }
}

function fold(text: string): string {
  return foldedText(text) ?? ''
}

function jqMember(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `.[${jsonText(name)}]`
}
