import { type Field, type FieldType, KEPT_BY_SERVER } from '../../core/resources/field.ts'
import { RESOURCES, type Resource, writableFields } from '../../core/resources/registry.ts'
import { type JsonNode, type Members, parseJsonText } from '../json-text.ts'
import { invalidValues, quotedValue } from '../problem.ts'
import { pointer } from '../resources/rules.ts'
import { JsonValueText } from './record-source.ts'

/** Arguments that select the record and are not members of it. */
const PLACES = ['id', 'dealId', 'ifVersion', 'json']

const TYPES: Readonly<Partial<Record<FieldType, string>>> = {
  reference: 'String',
  text: 'String',
  texts: '[String!]',
  number: 'Decimal',
  // A GraphQL Int has 32 bits, which suffices for a version. Decimal has no limit; the rules of the resource refuse a fraction.
  integer: 'Decimal',
  time: 'DateTime',
}

/** The members of an object type, one line each: `  ownerId: String`. */
export function memberLines(resource: Resource): string {
  const own = writableFields(resource).map(([name, field]) => line(name, field, isAlwaysPresent(name, field)))
  const kept = Object.entries<Field>(KEPT_BY_SERVER).map(([name, field]) => line(name, field, true))
  return ['  id: ID!', ...own, ...kept].join('\n')
}

/** The members of an input type; those of a change are optional. */
export function inputLines(resource: Resource, kind: 'creation' | 'change'): string {
  return writableFields(resource)
    .map(([name, field]) => line(name, field, kind === 'creation' && field.isRequired === true))
    .join('\n')
}

/** A deal created without a pipeline gets the default one. */
function isAlwaysPresent(name: string, { isRequired }: Field): boolean {
  return isRequired === true || name === 'pipeline_id'
}

function line(name: string, field: Field, isRequired: boolean): string {
  const graphqlType = graphqlTypeOf(name, field)
  if (graphqlType === undefined) throw new Error(`${name} is of type ${field.type}, which has no GraphQL type`)
  return `  ${graphqlFieldName(name)}: ${graphqlType}${isRequired ? '!' : ''}`
}

function graphqlTypeOf(name: string, { type, isReadOnly }: Field): string | undefined {
  // Ids of users are plain text, as the service has no users.
  if (type === 'reference' && Object.hasOwn(RESOURCES, name.replace(/_id$/, ''))) return 'ID'
  return type === 'integer' && isReadOnly ? 'Int' : TYPES[type]
}

/** `owner_id` becomes `ownerId`. */
export function graphqlFieldName(member: string): string {
  return member.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** An `input` of the schema: its own members and those of `json`, named as in REST. */
export type MutationInput = Readonly<Record<string, unknown>> & { readonly json?: JsonValueText | null }

/** The members of a record as sent to REST. */
export function inputMembers(input: MutationInput): Members {
  const members = new Map(jsonMembers(input.json))
  for (const [name, value] of Object.entries(input)) {
    if (PLACES.includes(name) || value === undefined) continue
    const member = memberName(name)
    if (members.has(member)) throw namedTwice(name, member)
    members.set(member, value instanceof JsonValueText ? value.text : JSON.stringify(value))
  }
  return members
}

/** `ownerId` is `owner_id` in REST and in the database. */
export function memberName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function jsonMembers(json: JsonValueText | null | undefined): Iterable<readonly [string, JsonNode]> {
  if (json === undefined || json === null) return []
  const node = parseJsonText(json.text)
  if (typeof node !== 'string') return node
  throw invalidValues([
    { pointer: '#', code: 'wrong_type', detail: `expected json: an object, got ${quotedValue(node)}` },
  ])
}

function namedTwice(name: string, member: string): Error {
  return invalidValues([
    { pointer: pointer(member), code: 'ambiguous', detail: `expected ${name} or ${member} of json, not both` },
  ])
}
