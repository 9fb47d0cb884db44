import type { ServiceOperation } from '../../src/core/resources/field.ts'
import {
  filtersOf,
  isOpenResource,
  RESOURCES,
  type Resource,
  recordPath,
  serviceOperationsOf,
  typeName,
} from '../../src/core/resources/registry.ts'
import { componentSchemas } from '../../src/service/openapi/schemas.ts'

/** What a client library offers for a resource, without a language: the same source as the OpenAPI document. */
export interface DescribedResource {
  readonly plural: string
  readonly type: string
  readonly path: string
  readonly recordPath: string
  /** The resource of the `{id}` in `path`. */
  readonly parent: string | undefined
  readonly operations: readonly ServiceOperation[]
  readonly filters: readonly string[]
  /** Clients may send any further members. */
  readonly isOpen: boolean
}

type Kind = 'text' | 'texts' | 'integer' | 'number' | { readonly oneOf: readonly string[] }

export interface Member {
  readonly name: string
  readonly kind: Kind
  readonly isNullable: boolean
  readonly isRequired: boolean
  /** From the registry; undefined for a member that only the service has. */
  readonly about: string | undefined
}

export interface DescribedType {
  readonly name: string
  readonly members: readonly Member[]
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly (string | null)[]
  readonly const?: string
  readonly not?: unknown
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly oneOf?: readonly { readonly required: readonly string[] }[]
}

export function describedResources(): readonly DescribedResource[] {
  // Those that the service has.
  const resources = (Object.keys(RESOURCES) as Resource[]).filter((each) => serviceOperationsOf(each).length > 0)
  return resources.map((resource) => {
    const definition = RESOURCES[resource]
    return {
      plural: definition.plural,
      type: typeName(resource),
      path: definition.path,
      recordPath: recordPath(resource),
      parent: 'parent' in definition ? definition.parent : undefined,
      operations: serviceOperationsOf(resource),
      filters: filtersOf(resource),
      isOpen: isOpenResource(resource),
    }
  })
}

/** The types of a resource: the new record, the changes, and the record. */
export function describedTypes(resource: DescribedResource): readonly DescribedType[] {
  const { type, operations } = resource
  const names = [
    ...(operations.includes('create') ? [`New${type}`] : []),
    ...(operations.includes('update') ? [`${type}Patch`] : []),
    type,
    ...(type === 'Webhook' ? ['CreatedWebhook', 'WebhookTest'] : []),
  ]
  return names.map((name) => typeOf(name, resource))
}

function typeOf(name: string, resource: DescribedResource): DescribedType {
  const schema = componentSchemas()[name] as unknown as ObjectSchema
  // `content` is another name for the body of a note: one name is enough.
  const [first, ...others] = schema.oneOf ?? []
  const left = new Set(others.flatMap(({ required }) => required))
  const required = [...(schema.required ?? []), ...(first?.required ?? [])]
  const fields: Readonly<Record<string, { readonly about: string }>> =
    Object.values(RESOURCES).find(({ plural }) => plural === resource.plural)?.fields ?? {}
  const members = Object.entries(schema.properties)
    .filter(([member, { not }]) => not === undefined && !left.has(member))
    .map(([member, part]) => ({
      name: member,
      kind: kindOf(name, member, part),
      isNullable: part.enum?.includes(null) || [part.type].flat().includes('null'),
      isRequired: required.includes(member),
      about: fields[member]?.about,
    }))
  return { name, members }
}

function kindOf(type: string, member: string, { type: given, enum: values, const: value }: Schema): Kind {
  if (values) return { oneOf: values.filter((each) => each !== null) }
  if (value !== undefined) return { oneOf: [value] }
  const [name] = [given].flat().filter((each) => each !== 'null')
  if (name === 'string') return 'text'
  if (name === 'array') return 'texts'
  if (name === 'integer' || name === 'number') return name
  throw new Error(`${type}.${member} is of a type that no client has: ${String(name)}`)
}
