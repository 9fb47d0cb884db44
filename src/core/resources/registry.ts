import { CrmError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import {
  type ApiOperation,
  type Field,
  ID,
  type KEPT_BY_SERVER,
  type NumericType,
  type ResourceDefinition,
  type ServiceOperation,
} from './field.ts'
import { OBJECTS } from './objects.ts'

/** A record as a server sent it; a server other than `crm serve` may send any members. */
export type CrmRecord = JsonObject

/** Every resource: what its connector says, and what the service and the commands need besides. CONTRIBUTING.md says how to add one. */
export const RESOURCES = {
  contact: {
    ...OBJECTS.contact,
    idPrefix: 'con_',
    isOpen: true,
    isImportable: true,
    uniqueBy: 'email',
    duplicatesBy: 'email,phone,name~',
    hints: { match: 'email', where: '.company == null' },
    about: 'People.',
    example: { name: 'Ada Lovelace', email: 'ada@engines.example', owner_id: 'u_ines', vip: true },
  },
  deal: {
    ...OBJECTS.deal,
    idPrefix: 'deal_',
    isImportable: true,
    hints: { match: 'name', where: '.stage == "Lead"' },
    example: { name: 'Fleet renewal', stage: 'Lead', amount: 12500.5, owner_id: 'u_ines' },
  },
  note: {
    ...OBJECTS.note,
    idPrefix: 'note_',
    isImportable: true,
    commands: { create: 'crm notes add' },
    example: { body: 'Call back on Friday', author_id: 'u_ines' },
  },
  company: {
    ...OBJECTS.company,
    idPrefix: 'comp_',
    isOpen: true,
    isImportable: true,
    uniqueBy: 'domain',
    duplicatesBy: 'domain,name~',
    hints: { match: 'domain', where: '.domain == null' },
    about: 'Organisations.',
    example: { name: 'Engines Ltd', domain: 'engines.example', city: 'London', owner_id: 'u_ines' },
  },
  task: {
    ...OBJECTS.task,
    idPrefix: 'task_',
    isOpen: true,
    isImportable: true,
    hints: { match: 'id', where: '.status == "done"' },
    about: 'What is to be done, for a contact, a company or a deal.',
    example: { title: 'Send the offer', status: 'open', due_on: '2026-01-31', priority: 'high', owner_id: 'u_ines' },
  },
  pipeline: OBJECTS.pipeline,
  stage: { ...OBJECTS.stage, commands: { list: 'crm pipelines stages' } },
  webhook: { ...OBJECTS.webhook, idPrefix: 'wh_' },
  /** Of other CRMs: on `crm serve` the owner of a record is any text. */
  user: {
    singular: 'user',
    plural: 'users',
    path: '/v1/users',
    operations: [],
    fields: {
      ...ID,
      name: { type: 'text', about: 'Name of the person' },
      email: { type: 'text', about: 'Address' },
      status: { type: 'text', about: 'archived when the user has left' },
    },
  },
} as const satisfies Readonly<Record<keyof typeof OBJECTS | 'user', ResourceDefinition>>

export type Resource = keyof typeof RESOURCES

type Definitions = typeof RESOURCES

/** The resources whose definition has the members of this shape. */
type Having<Shape> = { [R in Resource]: Definitions[R] extends Shape ? R : never }[Resource]

/** The resources that the service stores as records, with ids of its own. */
export type StoredResource = Having<{ readonly idPrefix: string }>

/** The resources that users keep in a CRM: all stored ones but webhook subscriptions. */
export type RecordResource = Exclude<StoredResource, 'webhook'>

/** See `isOpen` of ResourceDefinition. */
export type OpenResource = Having<{ readonly isOpen: true }>

/** The resources that can be imported from a file. */
export type ImportableResource = Having<{ readonly isImportable: true }>

/** The resources with a list of all their records. */
export type ListedResource = Exclude<
  Having<{ readonly operations: readonly ['list', ...ApiOperation[]] }>,
  Having<{ readonly parent: string }>
>

/** The operations of `crm serve` on a resource. */
export type ServiceOperationOf<R extends Resource> = R extends Resource
  ?
      | Definitions[R]['operations'][number]
      | (Definitions[R] extends { readonly serviceOperations: readonly (infer O extends ServiceOperation)[] }
          ? O
          : never)
  : never

export type PluralOf<R extends Resource> = Definitions[R]['plural']

export const OPEN_RESOURCES = definitionsWhere(({ isOpen }) => isOpen === true) as readonly OpenResource[]

export const IMPORTABLE_NOUNS = definitionsWhere(({ isImportable }) => isImportable === true).map(
  (name) => RESOURCES[name as ImportableResource].plural,
)

export const LISTED_RESOURCES = definitionsWhere(
  ({ parent, operations }) => parent === undefined && operations.includes('list'),
) as readonly ListedResource[]

export const STORED_RESOURCES = definitionsWhere(({ idPrefix }) => idPrefix !== undefined) as readonly StoredResource[]

export const RECORD_RESOURCES: readonly RecordResource[] = STORED_RESOURCES.filter((name) => name !== 'webhook')

function definitionsWhere(isOne: (definition: ResourceDefinition) => boolean): readonly string[] {
  const all = Object.entries<ResourceDefinition>(RESOURCES)
  return all.filter(([, definition]) => isOne(definition)).map(([name]) => name)
}

/** Those that an object is in which is defined later. */
const LISTS = [OPEN_RESOURCES, LISTED_RESOURCES, STORED_RESOURCES, RECORD_RESOURCES] as unknown as readonly string[][]

let isUsed = false

/** Called by a module that makes something of the lists: an object that is defined later would be missing there. */
export function useObjects(): void {
  isUsed = true
}

/**
 * Adds objects: they are open resources in all that is asked of the registry. Those of a database become tables, so an Error is
 * thrown once tables were made; those of a server that a client asks may come at any time.
 */
export function defineObjects(objects: Readonly<Record<string, ResourceDefinition>>, of: 'database' | 'server'): void {
  for (const [name, definition] of Object.entries(objects)) {
    const { plural, fields } = definition
    if (isUsed && of === 'database') throw new Error(`${plural} is defined after the tables and routes were made`)
    displace(name, plural)
    Object.assign(RESOURCES, { [name]: definition })
    Object.assign(FIELDS, { [name]: Object.keys(fields) })
    Object.assign(BY_PLURAL, { [plural]: name })
    for (const list of LISTS) if (!list.includes(name)) list.push(name)
    if (!IMPORTABLE_NOUNS.some((each) => each === plural)) (IMPORTABLE_NOUNS as string[]).push(plural)
  }
}

/** An object that a user described before crm had one of this name stays what it was, and takes the place of that of crm. */
function displace(name: string, plural: string): void {
  const all: Record<string, ResourceDefinition> = RESOURCES
  const plurals: Record<string, string> = BY_PLURAL
  const before = all[name]?.plural
  if (before !== undefined && before !== plural) delete plurals[before]
  const other = plurals[plural]
  if (other === undefined || other === name) return
  delete all[other]
  for (const list of LISTS) if (list.includes(other)) list.splice(list.indexOf(other), 1)
  for (const definition of Object.values(all)) {
    const fields: Readonly<Record<string, { to?: string }>> = definition.fields
    for (const field of Object.values(fields)) if (field.to === other) field.to = name
  }
}

type FieldsOf<R extends Resource> = (typeof RESOURCES)[R]['fields']
export type FieldName<R extends Resource> = Extract<keyof FieldsOf<R>, string>

/** The names of the fields of each resource, in the order in which tables show them. */
export const FIELDS = Object.fromEntries(
  Object.entries(RESOURCES).map(([name, { fields }]) => [name, Object.keys(fields)]),
) as unknown as { readonly [R in Resource]: readonly FieldName<R>[] }

/** Set by the server on every record. */
export const READ_ONLY_FIELDS = ['id', 'created_at', 'updated_at', 'version'] as const satisfies readonly (
  | keyof typeof ID
  | keyof typeof KEPT_BY_SERVER
)[]

/** Whether the server sets this member, on records of any resource. */
export function isReadOnly(name: string): boolean {
  return READ_ONLY_FIELDS.some((each) => each === name)
}

/** A field of a resource; undefined for a member that the contract does not name. */
export function fieldOf(resource: Resource, name: string): Field | undefined {
  const fields: Readonly<Record<string, Field>> = RESOURCES[resource].fields
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** The fields that a client may send, in the order of tables. */
export function writableFields(resource: Resource): readonly (readonly [name: string, field: Field])[] {
  return Object.entries<Field>(RESOURCES[resource].fields).filter(([, { isReadOnly }]) => !isReadOnly)
}

/** The fields that a new record must have. */
export function requiredFields(resource: Resource): readonly string[] {
  return writableFields(resource).flatMap(([name, { isRequired }]) => (isRequired ? [name] : []))
}

/** The type of a numeric field on the wire; undefined for any other field. */
export function numericType(resource: Resource, field: string): NumericType | undefined {
  const type = fieldOf(resource, field)?.type
  return type === 'number' || type === 'integer' ? type : undefined
}

export function isNumeric(resource: Resource, field: string): boolean {
  return numericType(resource, field) !== undefined
}

export function isOpenResource(resource: Resource): resource is OpenResource {
  return OPEN_RESOURCES.some((each) => each === resource)
}

export type Plural = PluralOf<Resource>

export function hasOperation(resource: Resource, operation: ApiOperation): boolean {
  const operations: readonly ApiOperation[] = RESOURCES[resource].operations
  return operations.includes(operation)
}

const SERVICE_OPERATIONS: readonly ServiceOperation[] = ['list', 'create', 'get', 'update', 'delete', 'test']

/** The operations of `crm serve` on a resource: those of the contract, and those beyond it. */
export function serviceOperationsOf<R extends Resource>(resource: R): readonly ServiceOperationOf<R>[] {
  const { operations, serviceOperations = [] }: ResourceDefinition = RESOURCES[resource]
  const all = [...operations, ...serviceOperations]
  const isIts = (each: ServiceOperation): each is ServiceOperationOf<R> => all.includes(each)
  return SERVICE_OPERATIONS.filter(isIts)
}

/** The filters of the list of a resource on `crm serve`. */
export function filtersOf(resource: Resource): readonly string[] {
  const { filters = [] }: ResourceDefinition = RESOURCES[resource]
  return filters
}

/** The filters of a resource that are fields. */
export function filterFields(resource: Resource): readonly string[] {
  return filtersOf(resource).filter((name) => fieldOf(resource, name) !== undefined)
}

/** What records `crm serve` has. */
export const OBJECTS_PATH = '/v1/objects'

/** The history of all records of `crm serve`. */
export const HISTORY_PATH = '/v1/history'

/** The key that a request of `crm serve` is sent with. */
export const KEY_PATH = '/v1/key'

/** The path of the history of one record, with `{id}`. */
export function recordHistoryPath(resource: RecordResource): string {
  return `${recordPath(resource)}/history`
}

/** The path of one record on `crm serve`. */
export function recordPath(resource: Resource): string {
  const definition: ResourceDefinition = RESOURCES[resource]
  return definition.recordPath ?? `${definition.path}/{id}`
}

/** For hints: a member that identifies a record. */
export function matchHint(resource: Resource): string {
  const { hints }: ResourceDefinition = RESOURCES[resource]
  return hints?.match ?? 'id'
}

/** The member by which servers keep its records unique; undefined when unknown. */
export function uniqueByOf(resource: Resource): string | undefined {
  const { uniqueBy }: ResourceDefinition = RESOURCES[resource]
  return uniqueBy
}

/** For hints: an expression that selects some of its records. */
export function whereHint(resource: Resource): string {
  const { hints }: ResourceDefinition = RESOURCES[resource]
  return hints?.where ?? '.id != null'
}

/** Whether all its records can be listed, so that a scan can find one. */
export function isListed(resource: Resource): resource is ListedResource {
  return LISTED_RESOURCES.some((each) => each === resource)
}

type ByPlural = { readonly [R in Resource as (typeof RESOURCES)[R]['plural']]: R }

const BY_PLURAL = Object.fromEntries(Object.entries(RESOURCES).map(([name, { plural }]) => [plural, name])) as ByPlural

/** `contact` of `contacts`. CrmError `not_supported` for an object that is not known. */
export function resourceOf<P extends Plural>(plural: P): ByPlural[P] {
  if (Object.hasOwn(BY_PLURAL, plural)) return BY_PLURAL[plural]
  // Of a job or a plan about an object of a server that was not asked for its objects.
  throw new CrmError('not_supported', `nothing is known of ${plural} on this server`, { hint: 'crm objects' })
}

/** `Contact`: the name of its GraphQL type and of its OpenAPI schema. */
export function typeName<R extends Resource>(resource: R): Capitalize<R> {
  return `${resource.slice(0, 1).toUpperCase()}${resource.slice(1)}` as Capitalize<R>
}

/** The resource that a command names by its plural. */
export function resourceNamed(word: string): Resource | undefined {
  return Object.hasOwn(BY_PLURAL, word) ? BY_PLURAL[word as Plural] : undefined
}

/** `1 contact`, `2 contacts`, `0 contacts`. */
export function counted(count: number, resource: Resource): string {
  const { singular, plural } = RESOURCES[resource]
  return `${count} ${count === 1 ? singular : plural}`
}

/** Where a server keeps the states of runs of fixtures. */
export const FIXTURE_RUNS_PATH = '/v1/fixture-runs'
