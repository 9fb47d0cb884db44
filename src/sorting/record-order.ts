import { compareDecimals, type Decimal, decimalOf } from '../core/decimal.ts'
import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonValue } from '../core/json.ts'
import { recordTimeMs } from '../core/record-time.ts'
import type { FieldType } from '../core/resources/field.ts'
import { type CrmRecord, fieldOf, type Resource } from '../core/resources/registry.ts'

/** One member of `--sort -amount,name`. */
export interface SortMember {
  readonly path: readonly string[]
  readonly isDown: boolean
  /** Undefined for a member that the resource does not name: its values are compared by what they are. */
  readonly type: FieldType | undefined
}

/** `-amount,name`. CrmError `usage` for an empty name and for a member named twice. */
export function parseSort(text: string, resource: Resource): readonly SortMember[] {
  const members = text.split(',').map((each) => {
    const name = each.trim().replace(/^[-+]/, '')
    return { name, path: name.split('.'), isDown: each.trim().startsWith('-'), type: fieldOf(resource, name)?.type }
  })
  const names = members.map(({ name }) => name)
  if (members.some(({ path }) => path.includes('')) || new Set(names).size < names.length) {
    throw new CrmError('usage', `--sort ${JSON.stringify(text)}: expected members, each once`, {
      hint: 'such as --sort name, or --sort -amount,name with the largest amount first',
    })
  }
  return members
}

/** The values of a record by which it is compared. */
export type SortKey = readonly KeyPart[]

type KeyPart = { readonly kind: Kind; readonly value: number | string | Decimal; readonly text: string }

/** In this order, ascending: a member may hold numbers in some records and texts in others. */
const KINDS = ['number', 'time', 'text'] as const

/** `none`: null, or no such member. These records are last in both directions. */
type Kind = (typeof KINDS)[number] | 'none'

const NONE: KeyPart = { kind: 'none', value: '', text: '' }

export function sortKeyOf(record: CrmRecord, members: readonly SortMember[]): SortKey {
  return members.map(({ path, type }) => keyPart(valueAt(record, path), type))
}

/** Negative if `one` comes first; 0 leaves records in the order in which they were read. */
export function compareKeys(one: SortKey, other: SortKey, members: readonly SortMember[]): number {
  for (const [at, { isDown }] of members.entries()) {
    const order = comparePlaced(one[at] ?? NONE, other[at] ?? NONE, isDown)
    if (order !== 0) return order
  }
  return 0
}

function comparePlaced(one: KeyPart, other: KeyPart, isDown: boolean): number {
  if (one.kind === 'none' || other.kind === 'none') return Number(one.kind === 'none') - Number(other.kind === 'none')
  const order = compareParts(one, other)
  return isDown ? -order : order
}

/** A member whose name is the dotted path takes precedence, as in `--fields`. */
function valueAt(record: CrmRecord, path: readonly string[]): JsonValue | undefined {
  const whole = path.join('.')
  if (Object.hasOwn(record, whole)) return record[whole]
  let value: JsonValue | undefined = record
  for (const name of path) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}

function keyPart(value: JsonValue | undefined, type: FieldType | undefined): KeyPart {
  if (value === null || value === undefined) return NONE
  if (typeof value === 'number') return { kind: 'number', value, text: '' }
  const isText = typeof value === 'string'
  // Some servers send amounts as texts.
  const decimal = type === 'number' || type === 'integer' || !isText ? decimalOf(value) : undefined
  if (decimal) return { kind: 'number', value: decimal, text: '' }
  const text = isText ? value : JSON.stringify(value)
  const timeMs = type === 'time' || type === undefined ? recordTimeMs(value) : Number.NaN
  if (!Number.isNaN(timeMs)) return { kind: 'time', value: timeMs, text }
  return { kind: 'text', value: text, text }
}

function compareParts(one: KeyPart, other: KeyPart): number {
  if (one.kind !== other.kind) return KINDS.indexOf(one.kind as 'text') - KINDS.indexOf(other.kind as 'text')
  if (one.kind === 'number') return compareNumbers(one.value, other.value)
  // Date.parse drops digits after the milliseconds.
  if (one.kind === 'time')
    return Number(one.value) - Number(other.value) || compareUnits(fraction(one.text), fraction(other.text))
  return compareTexts(one.text, other.text)
}

/** Of a second, to the nanosecond. */
function fraction(text: string): string {
  return (/\.(\d+)/.exec(text)?.[1] ?? '').padEnd(9, '0')
}

function compareNumbers(one: KeyPart['value'], other: KeyPart['value']): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return compareDecimals(decimalIn(one), decimalIn(other))
}

function decimalIn(value: KeyPart['value']): Decimal {
  const decimal = typeof value === 'object' ? value : decimalOf(value)
  if (!decimal) throw new Error(`${String(value)} is not a number`)
  return decimal
}

/** As people sort names: `ä` beside `a`, and case only between equal texts. The same on every machine. */
const COLLATOR = new Intl.Collator('und')

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return COLLATOR.compare(one, other) || compareUnits(one, other)
}

function compareUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
