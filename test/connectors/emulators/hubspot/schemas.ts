import type { Route, Row } from '../emulator.ts'
import type { ObjectType } from './objects.ts'
import type { Portal } from './portal.ts'
import { PROPERTY, shownProperty, type WrittenProperty } from './properties.ts'
import { invalid, takeBody, timeText } from './rules.ts'

export interface WrittenSchema {
  readonly name: string
  readonly labels: { readonly singular?: string; readonly plural?: string }
  readonly properties: readonly WrittenProperty[]
  readonly requiredProperties?: readonly string[]
  readonly searchableProperties?: readonly string[]
  readonly primaryDisplayProperty?: string
  readonly associatedObjects?: readonly string[]
}

const TEXT = { type: 'string' }
const TEXTS = { type: 'array', items: TEXT }

const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
    labels: { type: 'object', properties: { singular: TEXT, plural: TEXT } },
    properties: { type: 'array', items: PROPERTY },
    requiredProperties: TEXTS,
    searchableProperties: TEXTS,
    primaryDisplayProperty: TEXT,
    associatedObjects: TEXTS,
  },
  required: ['name', 'labels', 'properties', 'requiredProperties'],
}

export function requireSchema({ name, properties, ...named }: WrittenSchema, types: readonly ObjectType[]): void {
  if (types.some((one) => [one.name, one.singular].includes(name)))
    invalid(`Object type with the name ${name} already exists.`)
  const { requiredProperties = [], searchableProperties = [], primaryDisplayProperty = [] } = named
  const unknown = [...requiredProperties, ...searchableProperties]
    .concat(primaryDisplayProperty)
    .filter((one) => !properties.some((property) => property.name === one))
  if (unknown.length > 0) invalid(`Schema names properties that it does not define: ${unknown.join(', ')}`)
}

export function schemaRoutes(portal: Portal): Route[] {
  const path = '/crm/v3/schemas'
  const shown = (type: ObjectType) => shownSchema(portal, type)
  return [
    {
      method: 'GET',
      path,
      answer: () => ({ status: 200, body: { results: portal.types.filter(({ schema }) => schema).map(shown) } }),
    },
    {
      method: 'POST',
      path,
      answer: (call) => ({ status: 201, body: shown(portal.addSchema(takeBody<WrittenSchema>(call, SCHEMA))) }),
    },
    {
      method: 'GET',
      path: `${path}/:type`,
      answer: (_, { type = '' }) => ({ status: 200, body: shown(portal.type(type)) }),
    },
  ]
}

function shownSchema({ types, associations }: Portal, type: ObjectType): Row {
  const { id, name, singular, required, schema } = type
  const createdAt = schema?.createdAt ?? timeText(Date.UTC(2026, 0, 1))
  return {
    id: id.slice(2),
    objectTypeId: id,
    fullyQualifiedName: schema?.fullyQualifiedName ?? singular.toUpperCase(),
    name: schema ? name : singular.toUpperCase(),
    labels: schema?.labels ?? { singular, plural: name },
    primaryDisplayProperty: schema?.primaryDisplayProperty,
    secondaryDisplayProperties: [],
    requiredProperties: required,
    searchableProperties: schema?.searchableProperties ?? [],
    properties: Object.entries(type.properties).map(([property, one]) => shownProperty(type, property, one)),
    associations: types.flatMap((other) =>
      associations.definitions(type, other).map(({ typeId, label }) => ({
        id: String(typeId),
        fromObjectTypeId: id,
        toObjectTypeId: other.id,
        name: label ?? `${singular}_to_${other.singular}`,
      })),
    ),
    createdAt,
    updatedAt: createdAt,
    archived: false,
  }
}
