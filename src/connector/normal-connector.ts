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
import type { WrittenConnector, WrittenResource } from './format.ts'
import { normalFields } from './normal-fields.ts'
import { durationMs, normalLimits, normalOperation, normalOperations, type Surroundings } from './normal-operations.ts'

type WrittenNames = NonNullable<NonNullable<WrittenResource['select']>['names']>

/** Fills in the defaults of a checked connector. */
export function normalConnector(written: WrittenConnector): ConnectorDocument {
  const { title, docs, drafted, graphql, run_marker: runMarker, offers, error = {}, resources } = written
  return {
    connector: 1,
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
    resources: Object.fromEntries(
      Object.entries(resources).map(([plural, resource]) => [
        resourceNamed(plural) as Resource,
        normalResource(plural, resource, written),
      ]),
    ),
  }
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
  const { header, keeps, window = keeps, scope, life, kept } = written
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
    filters: (written.filters ?? {}) as Exclude<ResourceDocument['filters'], 'any'>,
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

function otherPlace(written: NonNullable<WrittenResource['others']>[number]): OtherPlace {
  return typeof written === 'string' ? { at: written, names: undefined } : { at: written.at, names: written.names }
}
