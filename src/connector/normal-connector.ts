import { type Resource, resourceNamed } from '../core/resources/registry.ts'
import type {
  Auth,
  ConnectorDocument,
  KeptKeys,
  NamesDocument,
  OtherPlace,
  ResourceDocument,
  TimePlace,
} from './document.ts'
import type { WrittenConnector, WrittenObject } from './format.ts'
import { normalFields } from './normal-fields.ts'
import { durationMs, normalLimits, normalOperation, normalOperations, type Surroundings } from './normal-operations.ts'

type WrittenNames = NonNullable<NonNullable<WrittenObject['select']>['names']>

/** Fills in the defaults of a checked connector. */
export function normalConnector(written: WrittenConnector): ConnectorDocument {
  const { title, docs, drafted, graphql, run_marker: runMarker, offers, error = {} } = written
  return {
    connector: 2,
    name: written.name,
    ...(title !== undefined && { title }),
    ...(docs !== undefined && { docs }),
    ...(written.extends !== undefined && { extends: written.extends }),
    ...(drafted !== undefined && { drafted }),
    ...(graphql !== undefined && { graphql }),
    ...(runMarker !== undefined && { runMarker }),
    ...(offers !== undefined && { offers }),
    variables: written.variables ?? {},
    origin: written.origin,
    base: written.base ?? '',
    auth: normalAuth(written.auth),
    headers: written.headers ?? {},
    query: written.query ?? {},
    error: { ...error, kinds: error.kinds ?? [] },
    limits: normalLimits(written.limits ?? []),
    ...normalIdempotency(written.idempotency),
    resources: resourcesOf(written),
  }
}

/** The objects that commands know. */
function resourcesOf(written: WrittenConnector): ConnectorDocument['resources'] {
  const known = Object.entries(written.objects).flatMap(([noun, object]) => {
    const resource = object.is ?? resourceNamed(noun)
    return resource ? [[resource, normalResource(resource, object, written)] as const] : []
  })
  return Object.fromEntries(known)
}

function normalAuth(auth: WrittenConnector['auth']): Auth {
  if (!auth || auth.in === 'bearer') return { in: 'bearer' }
  if (auth.in === 'basic') return { in: 'basic', user: auth.user ?? '', password: auth.password ?? '' }
  return { in: auth.in, name: auth.name ?? '', value: auth.value ?? '{key}' }
}

function normalIdempotency(
  written: WrittenConnector['idempotency'] = 'unknown',
): Pick<ConnectorDocument, 'idempotency' | 'requestLifeMs'> {
  if (typeof written === 'string') return { idempotency: written }
  const { header, window, scope, life, kept } = written
  const keys: KeptKeys | undefined =
    header === undefined
      ? undefined
      : {
          header,
          ...(window !== undefined && { windowMs: durationMs(window) }),
          ...(scope && { scope }),
          ...(kept && { kept }),
        }
  return { idempotency: keys ?? 'none', ...(life !== undefined && { requestLifeMs: durationMs(life) }) }
}

function normalResource(resource: Resource, written: WrittenObject, connector: WrittenConnector): ResourceDocument {
  const { value, record = {} } = written
  const { id = 'id', inside = '.', clear = null, open = false } = record
  const referred = (noun: string) => connector.objects[noun]?.is ?? resourceNamed(noun)
  return {
    parent: written.parent === undefined ? undefined : referred(written.parent),
    id: { type: 'string', ...(typeof id === 'string' ? { at: id } : id) },
    createdAt: timePlace(record.created_at),
    updatedAt: timePlace(record.updated_at),
    version: record.version,
    deleted: record.deleted,
    inside,
    others: (written.others ?? ['.']).map(otherPlace),
    readOnly: written.read_only ?? [],
    select: written.select && { as: 'comma', ...written.select, names: normalNames(written.select.names, connector) },
    value: value && { each: [], drop: [], ...value },
    clear,
    isOpen: open,
    filters: (written.filters ?? {}) as Exclude<ResourceDocument['filters'], 'any'>,
    ...normalOperations(written.verbs ?? {}, written.batch, surroundings(written, connector)),
    fields: normalFields(written.fields ?? {}, { resource, clear, referred, isOpen: open }),
  }
}

function normalNames(written: WrittenNames | undefined, connector: WrittenConnector): NamesDocument | undefined {
  if (!written) return undefined
  const { items, at = '.', read_only: readOnly, ...operation } = written
  const around = surroundings({}, connector)
  return { operation: normalOperation('list', operation, around), items, at, readOnly }
}

function surroundings(written: WrittenObject, connector: WrittenConnector): Surroundings {
  return {
    headers: connector.headers ?? {},
    query: connector.query ?? {},
    base: written.base,
    paging: [connector.paging, written.paging].filter((paging) => paging !== undefined),
    inside: written.record?.inside ?? '.',
  }
}

function timePlace(written: NonNullable<WrittenObject['record']>['created_at']): TimePlace | undefined {
  if (written === undefined) return undefined
  return typeof written === 'string' ? { at: written, as: 'rfc3339' } : { at: written.at, as: written.as ?? 'rfc3339' }
}

function otherPlace(written: NonNullable<WrittenObject['others']>[number]): OtherPlace {
  return typeof written === 'string' ? { at: written, names: undefined } : { at: written.at, names: written.names }
}
