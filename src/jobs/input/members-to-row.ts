import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { type Column, type ColumnResolver, FAILED_MEMBER, type UnknownColumn } from './columns.ts'
import { addFinding, convertMember, createDraft, type Draft, placeValue, shownValue } from './draft.ts'
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
