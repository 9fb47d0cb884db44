import type { CrmError } from '../../core/errors.ts'
import { isSameJson, type JsonObject, type JsonValue, jsonIn } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import { type CrmRecord, FIELDS, isNumeric, type Resource, resourceOf } from '../../core/resources/registry.ts'
import type { JobNoun } from '../../jobs/plan/plan-format.ts'
import { isWritable, type OfferedFields } from '../screens.ts'
import { type Edit, rowId } from './list-state.ts'
import { invalidInput, valuesIn } from './server-filters.ts'

export type Assignment = readonly [name: string, value: JsonValue]

/** `company=Acme`, `amount:=12`, `phone=` for nothing; digits stay as typed. CrmError `invalid_input` for anything else. */
export function parseAssignment(text: string): Assignment {
  const [, name = '', operator, raw = ''] = /^\s*([\w.-]+?)\s*(:?=)(.*)$/s.exec(text) ?? []
  if (name === '') throw notAssignment(text)
  if (operator === '=') return [name, raw === '' ? null : raw]
  const value = jsonIn(raw)
  if (value === undefined) throw notAssignment(text)
  const most = `the largest number that servers hold is ${Number.MAX_VALUE}`
  if (raw.trim() !== '' && Math.abs(Number(raw)) === Number.POSITIVE_INFINITY)
    throw invalidInput(`${name} is ${raw.trim()}, and ${most}`, 'such as amount:=1000')
  return [name, value]
}

function notAssignment(text: string): CrmError {
  const hint = 'such as company=Acme, or amount:=12 for a number, or phone= for nothing'
  return invalidInput(`${JSON.stringify(text)} is not a change, expected member=value`, hint)
}

/** The change of each row that does not have these values. */
export function editsOf(rows: readonly CrmRecord[], patch: JsonObject): readonly Edit[] {
  return rows.flatMap((row) => {
    const changed = Object.entries(patch).filter(([name, value]) => !isSameJson(row[name] ?? null, value))
    return rowId(row) === undefined || changed.length === 0 ? [] : [{ row, patch: Object.fromEntries(changed) }]
  })
}

const MOST_LOOKED_AT = 2_000

/**
 * As parseAssignment; CrmError `invalid_input` also for a member that no record has, for one set by the server, and for text
 * in a numeric member: a typing error here would add a field to hundreds of records.
 */
export function checkedAssignment(text: string, name: JobNoun, rows: readonly CrmRecord[], fields?: OfferedFields) {
  const assignment = parseAssignment(text)
  const [member, value] = assignment
  const noun = resourceOf(name)
  const isSent = (field: string) => isWritable(fields, field, 'update')
  const ofNoun = fields?.names ?? FIELDS[noun]
  if (!isSent(member)) {
    const why = fields ? `${fields.by} never changes ${member}` : `${member} is set by the server`
    throw invalidInput(why, `a ${noun} has ${ofNoun.filter(isSent).join(', ')}`)
  }
  const looked = rows.slice(0, MOST_LOOKED_AT)
  const known = new Set([...ofNoun, ...looked.flatMap((row) => Object.keys(row))])
  if (!known.has(member)) {
    const meant = nearest(member, [...known].filter(isSent))
    const added = `crm ${name} update ID --set ${member}=VALUE adds it to one record`
    const hint = meant === undefined ? added : `did you mean ${meant}?`
    throw invalidInput(`no ${noun} that is loaded has a member ${member}`, hint)
  }
  if (typeof value === 'string' && isNumber(member, noun, looked)) {
    throw invalidInput(`${member} is a number, and ${JSON.stringify(value)} is a text`, `such as ${member}:=1000`)
  }
  return assignment
}

/** The members that a change can name, in the order of the fields. */
export function changeableMembers(name: JobNoun, rows: readonly CrmRecord[], fields: OfferedFields | undefined) {
  const noun = resourceOf(name)
  const looked = rows.slice(0, MOST_LOOKED_AT)
  const known = new Set([...(fields?.names ?? FIELDS[noun]), ...looked.flatMap((row) => Object.keys(row))])
  const changeable = [...known].filter((member) => isWritable(fields, member, 'update'))
  return changeable.map((member) => ({ name: member, isNumeric: isNumber(member, noun, looked) }))
}

function isNumber(member: string, noun: Resource, rows: readonly CrmRecord[]): boolean {
  const values = rows.map((row) => row[member] ?? null).filter((value) => value !== null)
  if (values.length === 0) return isNumeric(noun, member)
  return values.every((value) => typeof value === 'number')
}

export interface ChangeWords {
  /** The members that can be changed; the value of a numeric one is JSON, behind `:=`. */
  readonly members: readonly { readonly name: string; readonly isNumeric: boolean }[]
  readonly values: Readonly<Record<string, readonly string[]>>
  readonly rows: readonly CrmRecord[]
}

/** The texts that the beginning of a change can become. The value is the rest of the line, so that it needs no quotes. */
export function completeChange(text: string, { members, values, rows }: ChangeWords): readonly string[] {
  const at = valueStart(text)
  if (at === 0) {
    const matching = members.filter(({ name }) => name.startsWith(text))
    return matching.map(({ name, isNumeric }) => `${name}${isNumeric ? ':=' : '='}`)
  }
  const [lead, typed] = [text.slice(0, at), text.slice(at).toLowerCase()]
  const name = lead.replace(/:?=$/, '')
  const known = values[name] ?? valuesIn(rows, name)
  return known.filter((value) => value.toLowerCase().startsWith(typed)).map((value) => lead + value)
}

export function valueStart(text: string): number {
  return text.indexOf('=') + 1
}
