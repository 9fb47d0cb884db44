import { CrmError } from '../../core/errors.ts'
import type { JsonValue } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import { type CrmRecord, FIELDS, isNumeric, isReadOnly, resourceOf } from '../../core/resources/registry.ts'
import type { ServerList } from '../screens.ts'
import { parseAssignment } from './staging.ts'

/** The number of rows that are searched for members. */
const MOST_LOOKED_AT = 2_000

/**
 * As parseAssignment; CrmError `invalid_input` also for a member that no record has, for one set by the server, and for text
 * in a numeric member: a typing error here would add a field to hundreds of records.
 */
export function checkedAssignment(
  text: string,
  name: ServerList,
  rows: readonly CrmRecord[],
): readonly [name: string, value: JsonValue] {
  const assignment = parseAssignment(text)
  const [member, value] = assignment
  const noun = resourceOf(name)
  if (isReadOnly(member)) {
    throw invalid(`${member} is set by the server`, `a ${noun} has ${FIELDS[noun].filter(isWritable).join(', ')}`)
  }
  const looked = rows.slice(0, MOST_LOOKED_AT)
  const known = new Set([...FIELDS[noun], ...looked.flatMap((row) => Object.keys(row))])
  if (!known.has(member)) {
    const meant = nearest(member, [...known].filter(isWritable))
    const hint = meant === undefined ? 'E adds a member to one record, as YAML' : `did you mean ${meant}?`
    throw invalid(`no ${noun} that is loaded has a member ${member}`, hint)
  }
  if (typeof value === 'string' && isNumber(member, noun, looked)) {
    throw invalid(`${member} is a number, and ${JSON.stringify(value)} is a text`, `such as ${member}:=1000`)
  }
  return assignment
}

function isWritable(field: string): boolean {
  return !isReadOnly(field)
}

/** By the loaded records that have the member, else by its definition. */
function isNumber(member: string, noun: 'contact' | 'deal', rows: readonly CrmRecord[]): boolean {
  const values = rows.map((row) => row[member] ?? null).filter((value) => value !== null)
  if (values.length === 0) return isNumeric(noun, member)
  return values.every((value) => typeof value === 'number')
}

function invalid(message: string, hint: string): CrmError {
  return new CrmError('invalid_input', message, { hint })
}
