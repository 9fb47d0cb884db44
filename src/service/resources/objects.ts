import type { JsonObject } from '../../core/json.ts'
import type { Field, FieldType, ResourceDefinition } from '../../core/resources/field.ts'
import { OBJECTS_PATH, RECORD_RESOURCES, RESOURCES, serviceOperationsOf } from '../../core/resources/registry.ts'
import { type Route, route } from '../route.ts'

/** The types of fields as connectors name them. */
const TYPES: Readonly<Partial<Record<FieldType, string>>> = { text: 'string', texts: 'string', reference: 'id' }

/** What records there are, and what they have. */
export const objectsRoute: Route = route(`GET ${OBJECTS_PATH}`, {
  text: 'listObjects: List the objects and their fields. Those of crm, and those that --objects described.',
  success: [
    200,
    'The objects.',
    { type: 'object', properties: { data: { type: 'array', items: { type: 'object' } } }, required: ['data'] },
  ],
  handle: async () => ({ status: 200, body: JSON.stringify({ data: RECORD_RESOURCES.map(objectOf) }), headers: {} }),
})

function objectOf(resource: (typeof RECORD_RESOURCES)[number]): JsonObject {
  const { singular, plural, path, fields, about = '', isOwn }: ResourceDefinition = RESOURCES[resource]
  return {
    name: plural,
    one: singular,
    about,
    path,
    own: isOwn === true,
    verbs: [...serviceOperationsOf(resource)],
    fields: Object.entries<Field>(fields).map(([name, field]) => fieldOf(name, field)),
  }
}

function fieldOf(name: string, field: Field): JsonObject {
  const { type, label, about, options, to, isRequired, isUnique, isReadOnly } = field
  return {
    name,
    label: label ?? name,
    about,
    type: TYPES[type] ?? type,
    many: type === 'texts',
    options: options ? [...options] : null,
    required: isRequired === true,
    unique: isUnique === true,
    read_only: isReadOnly === true,
    to: to === undefined ? null : pluralOf(to),
  }
}

function pluralOf(resource: string): string | null {
  const all: Readonly<Record<string, ResourceDefinition>> = RESOURCES
  return all[resource]?.plural ?? null
}
