import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { type Resource, resourceNamed } from '../../core/resources/registry.ts'
import { takesNull } from './check-shape.ts'
import type {
  Auth,
  Clear,
  ConnectorDocument,
  ErrorReading,
  KeptKeys,
  NamesDocument,
  OtherPlace,
  PathText,
  ResourceDocument,
  TimeForm,
  TimePlace,
  Variable,
} from './document.ts'
import { CONNECTOR } from './grammar.ts'
import { type Located, plain } from './located.ts'
import { normalFields, type WrittenField } from './normal-fields.ts'
import {
  durationMs,
  normalLimits,
  normalOperation,
  normalOperations,
  type Surroundings,
  type WrittenLimit,
  type WrittenOperation,
  type WrittenOperations,
  type WrittenPaging,
} from './normal-operations.ts'
import type { Shape } from './shapes.ts'

/** A connector as its file has it, with known members alone; those that are null are left out. */
interface WrittenConnector {
  readonly name: string
  readonly title?: string
  readonly docs?: string
  readonly variables?: Readonly<Record<string, Variable>>
  readonly origin?: string
  readonly base?: string
  readonly auth?: {
    readonly in: Auth['in']
    readonly name: string
    readonly value?: string
    readonly user: string
    readonly password?: string
  }
  readonly headers?: NonNullable<WrittenOperation['headers']>
  readonly query?: NonNullable<WrittenOperation['query']>
  readonly success?: NonNullable<ConnectorDocument['success']>
  readonly error?: Partial<ErrorReading>
  readonly limits?: readonly WrittenLimit[]
  readonly idempotency?:
    | 'none'
    | 'unknown'
    | { readonly header: string; readonly keeps?: string; readonly scope?: 'key' | 'account' }
  readonly clear?: Clear
  readonly paging?: WrittenPaging
  readonly resources: Readonly<Record<string, WrittenResource>>
}

interface WrittenNames extends Pick<WrittenOperation, 'base' | 'path' | 'query'> {
  readonly items: PathText
  readonly at?: PathText
  readonly read_only?: PathText
}

interface WrittenResource extends WrittenOperations {
  readonly base?: string
  readonly path?: string
  readonly parent?: string
  readonly id?: PathText | { readonly at: PathText; readonly type?: 'string' | 'integer' }
  readonly created_at?: PathText | { readonly at: PathText; readonly as?: TimeForm }
  readonly updated_at?: PathText | { readonly at: PathText; readonly as?: TimeForm }
  readonly version?: PathText
  readonly deleted?: PathText
  readonly inside?: PathText
  readonly others?: readonly (PathText | { readonly at: PathText; readonly names?: string })[]
  readonly read_only?: readonly string[]
  readonly select?: {
    readonly param: string
    readonly as?: 'comma' | 'repeat'
    readonly names?: WrittenNames
  }
  readonly value?: { readonly each?: readonly PathText[]; readonly drop?: readonly string[] }
  readonly clear?: Clear
  readonly paging?: WrittenPaging
  readonly filters?: Exclude<ResourceDocument['filters'], 'any'>
  readonly fields?: Readonly<Record<string, PathText | WrittenField>>
}

/** Fills in the defaults of a checked connector. */
export function normalConnector(tree: Located): ConnectorDocument {
  const written = withoutNulls(plain(tree), CONNECTOR) as unknown as WrittenConnector
  const { title, docs, error = {}, resources } = written
  return {
    connector: 1,
    name: written.name,
    ...(title !== undefined && { title }),
    ...(docs !== undefined && { docs }),
    variables: written.variables ?? {},
    origin: written.origin,
    base: written.base ?? '',
    auth: normalAuth(written.auth),
    success: written.success,
    error: { ...error, kinds: error.kinds ?? [] },
    limits: normalLimits(written.limits ?? []),
    idempotency: normalIdempotency(written.idempotency),
    resources: Object.fromEntries(
      Object.entries(resources).map(([plural, resource]) => [
        resourceNamed(plural) as Resource,
        normalResource(plural, resource, written),
      ]),
    ),
  }
}

/** Null stands for an absent member wherever it is no value of its own. */
function withoutNulls(value: JsonValue, shape: Shape): JsonValue {
  if (shape.type === 'either') {
    const alike = shape.of.find(({ type }) =>
      Array.isArray(value) ? type === 'list' : type === 'object' || type === 'map',
    )
    return alike ? withoutNulls(value, alike) : value
  }
  if (Array.isArray(value)) return shape.type === 'list' ? value.map((each) => withoutNulls(each, shape.of)) : value
  if (!isJsonObject(value)) return value
  if (shape.type === 'map') return membersWithoutNulls(value, () => shape.of)
  return shape.type === 'object' ? membersWithoutNulls(value, (name) => shape.members[name]) : value
}

function membersWithoutNulls(value: JsonObject, shapeOf: (name: string) => Shape | undefined): JsonObject {
  const kept = Object.entries(value).flatMap(([name, member]): [string, JsonValue][] => {
    const shape = shapeOf(name)
    return shape && (member !== null || takesNull(shape)) ? [[name, withoutNulls(member, shape)]] : []
  })
  return Object.fromEntries(kept)
}

function normalAuth(auth: WrittenConnector['auth']): Auth {
  if (!auth || auth.in === 'bearer') return { in: 'bearer' }
  if (auth.in === 'basic') return { in: 'basic', user: auth.user, password: auth.password ?? '' }
  return { in: auth.in, name: auth.name, value: auth.value ?? '{key}' }
}

function normalIdempotency(written: WrittenConnector['idempotency'] = 'unknown'): 'none' | 'unknown' | KeptKeys {
  if (typeof written === 'string') return written
  const { header, keeps, scope } = written
  return { header, ...(keeps !== undefined && { keepsMs: durationMs(keeps) }), ...(scope && { scope }) }
}

function normalResource(plural: string, written: WrittenResource, connector: WrittenConnector): ResourceDocument {
  const { id = 'id', inside = '.', value } = written
  const [clear = null] = [written.clear, connector.clear].filter((each) => each !== undefined)
  return {
    parent: written.parent === undefined ? undefined : resourceNamed(written.parent),
    id: { type: 'string', ...(typeof id === 'string' ? { at: id } : id) },
    createdAt: timePlace(written.created_at),
    updatedAt: timePlace(written.updated_at),
    version: written.version,
    deleted: written.deleted,
    inside,
    others: (written.others ?? ['.']).map(otherPlace),
    readOnly: written.read_only ?? [],
    select: written.select && { as: 'comma', ...written.select, names: normalNames(written.select.names, connector) },
    value: value && { each: [], drop: [], ...value },
    clear,
    filters: written.filters ?? {},
    ...normalOperations(written, surroundings(written, connector)),
    fields: normalFields(written.fields ?? {}, { plural, clear }),
  }
}

/** Its path does not follow that of the resource. */
function normalNames(written: WrittenNames | undefined, connector: WrittenConnector): NamesDocument | undefined {
  if (!written) return undefined
  const { items, at = '.', read_only: readOnly, ...operation } = written
  const around = surroundings({}, connector)
  return { operation: normalOperation('list', operation, around), items, at, readOnly }
}

function surroundings(written: WrittenResource, connector: WrittenConnector): Surroundings {
  return {
    headers: connector.headers ?? {},
    query: connector.query ?? {},
    base: written.base,
    path: written.path ?? '',
    paging: [connector.paging, written.paging].filter((paging) => paging !== undefined),
    inside: written.inside ?? '.',
  }
}

function timePlace(written: WrittenResource['created_at']): TimePlace | undefined {
  if (written === undefined) return undefined
  return typeof written === 'string' ? { at: written, as: 'rfc3339' } : { at: written.at, as: written.as ?? 'rfc3339' }
}

function otherPlace(written: PathText | { readonly at: PathText; readonly names?: string }): OtherPlace {
  return typeof written === 'string' ? { at: written, names: undefined } : { at: written.at, names: written.names }
}
