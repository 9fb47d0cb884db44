import type { ServiceOperation } from '../../core/resources/field.ts'
import {
  filtersOf,
  RESOURCES,
  type Resource,
  recordPath,
  type ServiceOperationOf,
  type StoredResource,
  serviceOperationsOf,
} from '../../core/resources/registry.ts'
import { PAGE_PARAMETERS } from '../page.ts'
import { notFound } from '../problem.ts'
import type { Route } from '../route.ts'
import type { Store, StoredRecord } from '../store/store.ts'

export type Handler = Route['handle']

/** How an operation is requested. */
const REQUESTS: Readonly<Record<ServiceOperation, Pick<Route, 'method' | 'scope'>>> = {
  list: { method: 'GET', scope: 'read' },
  create: { method: 'POST', scope: 'write' },
  get: { method: 'GET', scope: 'read' },
  update: { method: 'PATCH', scope: 'write' },
  delete: { method: 'DELETE', scope: 'write' },
  test: { method: 'POST', scope: 'write' },
}

export function methodOf(operation: ServiceOperation): Route['method'] {
  return REQUESTS[operation].method
}

/** The path of an operation, with `{id}` for an id. */
export function operationPath(resource: Resource, operation: ServiceOperation): string {
  if (operation === 'list' || operation === 'create') return RESOURCES[resource].path
  return operation === 'test' ? `${recordPath(resource)}/test` : recordPath(resource)
}

/** `/{id}` of a document as `/:id` of a route. */
export function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** The routes of a resource, one for each of its operations. */
export function routesOf<R extends Resource>(
  resource: R,
  handlers: Readonly<Record<ServiceOperationOf<R>, Handler>>,
): readonly Route[] {
  return serviceOperationsOf(resource).map((operation) => ({
    ...REQUESTS[operation],
    path: routePath(operationPath(resource, operation)),
    parameters: operation === 'list' ? [...PAGE_PARAMETERS, ...filtersOf(resource)] : [],
    handle: handlers[operation],
  }))
}

/** A record by its id. Throws the Problem of an unknown one. */
export async function getRecord(store: Store, resource: StoredResource, id: string): Promise<StoredRecord> {
  const record = (await store.records(resource, [id])).get(id)
  if (!record) throw notFound(resource, id)
  return record
}

/** The handler of `get`. */
export function showRecord(resource: StoredResource): Handler {
  return async (store, call) => {
    const { text, version } = await getRecord(store, resource, call.id)
    return { status: 200, body: text, headers: { etag: `"${version}"` } }
  }
}
