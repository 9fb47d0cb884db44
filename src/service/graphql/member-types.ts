import { type Field, type FieldType, KEPT_BY_SERVER } from '../../core/resources/field.ts'
import { type Resource, writableFields } from '../../core/resources/registry.ts'

/** Ids of users are plain text, as the service has no users. */
const IDS: readonly string[] = ['pipeline_id', 'deal_id']

const TYPES: Readonly<Partial<Record<FieldType, string>>> = {
  reference: 'String',
  text: 'String',
  number: 'Decimal',
  integer: 'Int',
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

function line(name: string, { type }: Field, isRequired: boolean): string {
  const typeName = IDS.includes(name) ? 'ID' : TYPES[type]
  if (typeName === undefined) throw new Error(`${name} is of type ${type}, which has no GraphQL type`)
  return `  ${fieldName(name)}: ${typeName}${isRequired ? '!' : ''}`
}

/** `owner_id` becomes `ownerId`. */
function fieldName(member: string): string {
  return member.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
