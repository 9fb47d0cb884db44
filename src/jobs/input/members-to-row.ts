import { exactDigits, isJsonObject, type JsonValue } from '../../core/json.ts'
import { jsonText } from '../../output/json-text.ts'
import type { Column, ColumnResolver, UnknownColumn } from './columns.ts'
import { FAILED_MEMBER } from './columns.ts'
import { addFinding, createDraft, type Draft, placeValue, shownValue } from './draft.ts'
import { type Converted, convertCell } from './parse-map.ts'
import type { InputRow } from './row.ts'

export interface MemberRules {
  readonly resolve: ColumnResolver
  readonly hasGiven: boolean
}

/** The row of a JSON or YAML record: values keep their types, and null clears a field. */
export function membersToRow(
  value: JsonValue,
  place: Pick<InputRow, 'line' | 'offset' | 'length'>,
  rules: MemberRules,
): Draft {
  const draft = createDraft(place, false)
  if (!isJsonObject(value)) {
    addFinding(draft, {
      column: undefined,
      value: shownValue(value),
      code: 'wrong_type',
      message: 'expected an object',
    })
    return draft
  }
  for (const name of Object.keys(value)) {
    const column = rules.resolve(name)
    const member = value[name] ?? null
    if (name === FAILED_MEMBER && isJsonObject(member) && typeof member.line === 'number') {
      draft.row.earlierLine = member.line
    }
    if ('suggestion' in column) addUnknown(draft, column, member)
    else if (isAlreadySet(draft, column)) {
      const message = `the record has ${column.field} under two names; ${name} is one of them`
      addFinding(draft, { column: name, value: undefined, code: 'duplicate_field', message })
    } else if (column.role !== 'ignored') placeValue(draft, column, convertMember(member, column), member)
  }
  return rules.hasGiven ? { ...draft, given: value } : draft
}

function isAlreadySet({ row }: Draft, { role, field }: Column): boolean {
  if (role === 'id') return row.id !== undefined
  return role === 'parent' ? row.parent !== undefined : role === 'field' && Object.hasOwn(row.fields, field)
}

function addUnknown(draft: Draft, { name, suggestion }: UnknownColumn, value: JsonValue): void {
  const message = `did you mean ${suggestion}? --map ${name}=${suggestion}, ${name}=${name} to keep it, ${name}= to leave it out`
  addFinding(draft, { column: name, value: shownValue(value), code: 'unknown_column', message })
}

const NUMBERS = {
  number: { isValid: Number.isFinite, expected: 'a number' },
  integer: { isValid: Number.isInteger, expected: 'a whole number' },
} as const

/** Checks the type of a member or of a computed value. A text becomes a number only if `--map` names that type. */
export function convertMember(value: JsonValue, { type, isKnown, isTyped, role }: Column): Converted {
  if (value === null || role !== 'field') return { value }
  if (typeof value === 'string' && isTyped) return convertCell(value, type)
  if (type === 'number' || type === 'integer') {
    const isNumber = typeof value === 'number' || exactDigits(value) !== undefined
    const { isValid, expected } = NUMBERS[type]
    return isNumber && isValid(Number(jsonText(value))) ? { value } : wrongType(expected)
  }
  return typeof value !== 'string' && isKnown && type === 'text' ? wrongType('a text') : { value }
}

function wrongType(expected: string): Converted {
  return { fault: { code: 'wrong_type', message: `expected ${expected}` } }
}
