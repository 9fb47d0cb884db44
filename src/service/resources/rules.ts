import { decodeId, type IdKind } from '../../core/ids.ts'
import type { JsonSchema, JsonValue } from '../../core/json.ts'
import type { Field, FieldType } from '../../core/resources/field.ts'
import { READ_ONLY_FIELDS, RESOURCES, type Resource, writableFields } from '../../core/resources/registry.ts'
import type { JsonNode, Members } from '../json-text.ts'
import { invalidValue, invalidValues, quotedValue, type ValueFault } from '../problem.ts'
import { parseTimeMs } from './filters.ts'

export type RuleFault = Pick<ValueFault, 'code' | 'detail'>

/** A JSON Schema (2020-12) of the OpenAPI document. */
export interface Rule {
  /** Undefined for a valid value. `value` is undefined when the member was not sent. */
  check(value: JsonNode | undefined): RuleFault | undefined
  /** The schema of valid values. */
  readonly schema: JsonSchema
  readonly isRequired?: true
}

export type RulesByMember = Readonly<Record<string, Rule>>

/** Throws one Problem that names every member that breaks its rule. */
export function requireRules(fields: Members, rules: RulesByMember): void {
  const faults: ValueFault[] = []
  for (const name in rules) {
    const fault = rules[name]?.check(fields.get(name))
    if (fault) faults.push({ pointer: pointer(name), ...fault })
  }
  if (faults.length > 0) throw invalidValues(faults)
}

export function requireMember(fields: Members): void {
  if (fields.size > 0) return
  throw invalidValue('#', 'empty', 'expected at least one member')
}

export function pointer(name: string): string {
  return `#/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1').toWellFormed())}`
}

function isText(value: JsonNode): value is string {
  return typeof value === 'string' && value.startsWith('"')
}

function isNumber(value: JsonNode): value is string {
  return typeof value === 'string' && /^[-\d]/.test(value)
}

/** Undefined when the value is null or was not sent; the rules ensure that any other value is a string. */
export function stringOf(value: JsonNode | undefined): string | undefined {
  return value !== undefined && isText(value) ? (JSON.parse(value) as string) : undefined
}

/** The elements of a list; undefined for any other value. */
export function elementsOf(value: JsonNode): readonly JsonNode[] | undefined {
  if (typeof value !== 'string' || !value.startsWith('[')) return undefined
  return (JSON.parse(value) as readonly JsonValue[]).map((each) => JSON.stringify(each))
}

export function wrongType(expected: string, value: JsonNode): RuleFault {
  return { code: 'wrong_type', detail: `${expected}, got ${quotedValue(value)}` }
}

/** A member with one of several values. */
export function oneOf(allowed: readonly string[]): Rule {
  const expected = `one of ${allowed.map((each) => JSON.stringify(each)).join(', ')}`
  const check = (value: JsonNode): RuleFault | undefined => {
    const text = stringOf(value)
    if (text !== undefined && allowed.includes(text)) return undefined
    const fault = wrongType(`expected ${expected}`, value)
    return text === undefined ? fault : { ...fault, code: 'not_allowed' }
  }
  return requiredRule({ type: 'string', enum: allowed }, check, expected)
}

/** A rule for a member that must be there. `expected` says what it is. */
export function requiredRule(
  schema: JsonSchema,
  check: (value: JsonNode) => RuleFault | undefined,
  expected?: string,
): Rule {
  const missing = { code: 'required', detail: expected === undefined ? 'required' : `required, ${expected}` }
  return { schema, isRequired: true, check: (value) => (value === undefined ? missing : check(value)) }
}

/** A rule for a member that may be missing or null. */
function orNull(type: string, expected: string, isValid: (value: JsonNode) => boolean): Rule {
  return {
    schema: { type: [type, 'null'] },
    check: (value) => {
      if (value === undefined || value === 'null' || isValid(value)) return undefined
      return wrongType(`expected ${expected} or null`, value)
    },
  }
}

export const textOrNull = orNull('string', 'a string', isText)

export const filledText = requiredRule({ type: 'string', minLength: 1 }, (value) => {
  if (!isText(value)) return wrongType('expected a string', value)
  return value === '""' ? { code: 'empty', detail: 'expected a string that is not empty' } : undefined
})

const textsOrNull: Rule = {
  ...orNull('array', 'a list of strings', (value) => elementsOf(value)?.every(isText) === true),
  schema: { type: ['array', 'null'], items: { type: 'string' } },
}

const booleanOrNull = orNull('boolean', 'true or false', (value) => value === 'true' || value === 'false')

const dateOrNull = orNull('string', 'a day such as "2026-01-31"', (value) => {
  const text = stringOf(value)
  return text !== undefined && parseTimeMs(`${text}T00:00:00Z`) !== undefined
})

const timeOrNull = orNull('string', 'a time such as "2026-01-31T09:30:00Z" (RFC 3339)', (value) => {
  const text = stringOf(value)
  return text !== undefined && parseTimeMs(text) !== undefined
})

const numberOrNull = orNull('number', 'a number', isNumber)

const integerOrNull = orNull('integer', 'a whole number', (value) => isNumber(value) && Number.isInteger(Number(value)))

export const readOnlyMember: Rule = {
  schema: { not: {} },
  check: (value) =>
    value === undefined ? undefined : { code: 'read_only', detail: 'read-only: remove it from the request' },
}

const OF_TYPE: Readonly<Partial<Record<FieldType, Rule>>> = {
  reference: textOrNull,
  text: textOrNull,
  number: numberOrNull,
  integer: integerOrNull,
  texts: textsOrNull,
  boolean: booleanOrNull,
  date: dateOrNull,
  time: timeOrNull,
}

/** The rules for the fields that a client may send, from the definition of the resource. */
export function rulesOf(resource: Resource): RulesByMember {
  return Object.fromEntries(writableFields(resource).map(([name, field]) => [name, ruleOf(name, field)]))
}

function ruleOf(name: string, field: Field): Rule {
  const { type, isRequired, options, to } = field
  const rule = options ? optionsRule(type, options) : to === undefined ? OF_TYPE[type] : idRule(type, to)
  if (!rule) throw new Error(`${name} is of type ${type}, which has no rule`)
  if (!isRequired) return rule
  if (rule === textOrNull) return filledText
  return requiredRule(rule.schema, (value) =>
    value === 'null' ? { code: 'empty', detail: 'required' } : rule.check(value),
  )
}

function optionsRule(type: FieldType, options: readonly string[]): Rule {
  const expected = `${type === 'texts' ? 'a list of ' : ''}${options.map((each) => JSON.stringify(each)).join(', ')}`
  const isOne = (value: JsonNode): boolean => options.includes(stringOf(value) ?? '')
  if (type !== 'texts')
    return { ...orNull('string', `one of ${expected}`, isOne), schema: { enum: [...options, null] } }
  return {
    ...orNull('array', expected, (value) => elementsOf(value)?.every(isOne) === true),
    schema: { type: ['array', 'null'], items: { enum: options } },
  }
}

/** An id of a resource, or a list of ids. */
function idRule(type: FieldType, to: string): Rule {
  const isId = (value: JsonNode): boolean => decodeId(to as IdKind, stringOf(value) ?? '') !== undefined
  if (type !== 'texts') return orNull('string', `the id of a ${to}`, isId)
  const isIds = (value: JsonNode): boolean => elementsOf(value)?.every(isId) === true
  return {
    ...orNull('array', `a list of ids of ${RESOURCES[to as Resource].plural}`, isIds),
    schema: textsOrNull.schema,
  }
}

/** The rules of a change: members that are not sent are unchanged. */
export function patchRulesOf(resource: Resource): RulesByMember {
  return patchRules(rulesOf(resource))
}

export function patchRules(rules: RulesByMember): RulesByMember {
  return Object.fromEntries(
    Object.entries(rules).map(([name, { schema, check }]) => [
      name,
      { schema, check: (value) => (value === undefined ? undefined : check(value)) } satisfies Rule,
    ]),
  )
}

export const READ_ONLY_RULES: RulesByMember = Object.fromEntries(READ_ONLY_FIELDS.map((name) => [name, readOnlyMember]))
