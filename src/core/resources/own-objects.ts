import type { JsonObject, JsonValue } from '../json.ts'
import { type Field, type Fields, type FieldType, ID, KEPT_BY_SERVER, type ResourceDefinition } from './field.ts'
import { defineObjects, RESOURCES, type Resource, resourceNamed } from './registry.ts'

/** The types of the fields of a file of `crm serve --objects`, as in connectors. */
export const DESCRIBED_TYPES = ['string', 'number', 'integer', 'boolean', 'date', 'time', 'id'] as const

type DescribedType = (typeof DESCRIBED_TYPES)[number]

export interface DescribedField {
  readonly label?: string | undefined
  readonly about?: string | undefined
  readonly type?: DescribedType | undefined
  readonly many?: boolean | undefined
  readonly options?: readonly string[] | undefined
  readonly required?: boolean | undefined
  readonly unique?: boolean | undefined
  readonly read_only?: boolean | undefined
  /** The plural of the object whose ids it has. */
  readonly to?: string | undefined
  readonly server?: Field['server'] | undefined
}

export interface DescribedObject {
  readonly one: string
  readonly label?: string | undefined
  readonly about?: string | undefined
  readonly fields: Readonly<Record<string, DescribedField>>
  readonly server?: ResourceDefinition['server'] | undefined
}

/** Of objects and their fields: a part of a path and of a statement of SQL, a name in GraphQL, and the start of ids. */
export const OBJECT_NAME = '^(?=.{1,40}$)[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*$'

/** Objects by their plural, as the database keeps them. */
export type DescribedObjects = Readonly<Record<string, DescribedObject>>

const FIELD_TYPES: Readonly<Record<DescribedType, FieldType>> = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  id: 'reference',
}

/** Makes them resources; see defineObjects. */
export function defineOwnObjects(objects: DescribedObjects, of: 'database' | 'server'): void {
  // A reference may be to an object that comes later.
  const singulars = new Map(Object.entries(objects).map(([plural, { one }]) => [plural, one]))
  const toOf = (plural: string): string | undefined => singulars.get(plural) ?? resourceNamed(plural)
  const definitions = Object.entries(objects).map(([plural, object]) => [object.one, definition(plural, object, toOf)])
  defineObjects(Object.fromEntries(definitions), of)
}

type ResourceOf = (plural: string) => string | undefined

function definition(
  plural: string,
  { one, about, fields, server }: DescribedObject,
  toOf: ResourceOf,
): ResourceDefinition {
  const own: Fields = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldOf(field, toOf)]))
  const [first = 'id'] = Object.keys(fields)
  const unique = Object.keys(fields).find((name) => fields[name]?.unique)
  return {
    singular: one,
    plural,
    idPrefix: `${one}_`,
    path: `/v1/${plural}`,
    operations: ['list', 'create', 'update', 'delete'],
    serviceOperations: ['get'],
    filters: [...referencesOf(fields), 'created_since', 'created_until'],
    isOpen: true,
    isOwn: true,
    ...(server && { server }),
    isImportable: true,
    ...(unique !== undefined && { uniqueBy: unique }),
    hints: { match: unique ?? 'id', where: `.${first} == null` },
    about: about ?? `Records of the object ${plural}.`,
    example: exampleOf(own),
    fields: { ...ID, ...own, ...KEPT_BY_SERVER },
  }
}

/** The fields that have the id of one other record: lists are filtered by them. */
export function referencesOf(fields: DescribedObject['fields']): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name]?.to !== undefined && !fields[name].many)
}

function fieldOf(field: DescribedField, toOf: ResourceOf): Field {
  const { type, many, to, label, about, options, required, unique, read_only: isReadOnly, server } = field
  const resource = to === undefined ? undefined : toOf(to)
  const single = FIELD_TYPES[type ?? (to === undefined ? 'string' : 'id')]
  return {
    type: many ? 'texts' : single,
    about: about ?? label ?? (resource === undefined ? '' : `Id of its ${resource}`),
    ...(label !== undefined && { label }),
    ...(options && { options }),
    ...(resource !== undefined && { to: resource }),
    ...(required && { isRequired: true }),
    ...(unique && { isUnique: true }),
    ...(isReadOnly && { isReadOnly: true }),
    ...(server && { server }),
  }
}

const EXAMPLES: Readonly<Record<FieldType, JsonValue>> = {
  id: '',
  reference: 'u_ines',
  text: 'Text',
  texts: ['Text'],
  number: 1200.5,
  integer: 1200,
  boolean: true,
  date: '2026-01-31',
  time: '2026-01-31T09:30:00Z',
}

function exampleOf(fields: Fields): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { type, options, to }]) => {
      if (to !== undefined) return []
      const value = options?.[0] ?? EXAMPLES[type]
      return [[name, type === 'texts' && options ? [value] : value]]
    }),
  )
}

/** The unique members that these objects say. */
export function ownUniqueMembers(): readonly { readonly resource: Resource; readonly member: string }[] {
  return Object.entries<ResourceDefinition>(RESOURCES).flatMap(([resource, { fields }]) =>
    Object.entries<Field>(fields).flatMap(([member, { isUnique }]) =>
      isUnique ? [{ resource: resource as Resource, member }] : [],
    ),
  )
}
