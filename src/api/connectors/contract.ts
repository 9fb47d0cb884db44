import type { ResourceDefinition, ServiceOperation } from '../../core/resources/field.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { ConnectorDocument, ListOperation, Operation, PagingDocument, ResourceDocument } from './document.ts'

export const CONTRACT_METHODS = {
  list: 'GET',
  get: 'GET',
  create: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
  test: 'POST',
} as const satisfies Readonly<Record<ServiceOperation, Operation['method']>>

/** Lists of any known shape; see api/pages. */
const DETECTED: PagingDocument = { by: 'detected', in: 'query', start: 1 }

/** The path of an operation, with `{parent}` and `{id}`. */
export function contractPath(resource: Resource, operation: ServiceOperation): string {
  const { path, recordPath }: ResourceDefinition = RESOURCES[resource]
  const collection = path.replace('{id}', '{parent}')
  if (operation === 'list' || operation === 'create') return collection
  const record = recordPath ?? `${collection}/{id}`
  return operation === 'test' ? `${record}/test` : record
}

/** Whether a server may have this operation beyond the contract, so that its OpenAPI document is worth reading. */
export function isBeyondContract(resource: Resource, operation: string): boolean {
  const { serviceOperations = [] }: ResourceDefinition = RESOURCES[resource]
  return serviceOperations.some((each) => each === operation)
}

/**
 * The endpoints of the contract, which the registry names: the connector of a profile that has no other. `beyond`: further
 * operations that the server documents, such as `deals.delete`.
 */
export function contractDocument(beyond: readonly string[] = []): ConnectorDocument {
  return {
    connector: 1,
    name: 'contract',
    title: 'The contract of crm serve',
    variables: {},
    origin: undefined,
    base: '',
    auth: { in: 'bearer' },
    success: undefined,
    error: { kinds: [] },
    limits: [],
    idempotency: 'unknown',
    isDescribed: true,
    resources: Object.fromEntries(
      (Object.keys(RESOURCES) as Resource[]).map((resource) => [resource, resourceOf(resource, beyond)]),
    ) as ConnectorDocument['resources'],
  }
}

function resourceOf(resource: Resource, beyond: readonly string[]): ResourceDocument {
  const { plural, parent, operations }: ResourceDefinition = RESOURCES[resource]
  const offered = (name: ServiceOperation): Operation | undefined => {
    const isKnown = operations.some((each) => each === name) || beyond.includes(`${plural}.${name}`)
    return isKnown ? operation(CONTRACT_METHODS[name], contractPath(resource, name)) : undefined
  }
  const list = offered('list')
  return {
    parent,
    id: { at: 'id', type: 'string' },
    createdAt: undefined,
    updatedAt: undefined,
    version: 'version',
    deleted: undefined,
    inside: '.',
    others: [{ at: '.', names: undefined }],
    readOnly: [],
    select: undefined,
    value: undefined,
    clear: null,
    filters: 'any',
    list: list && { ...list, ...LISTING, paging: parent === undefined ? DETECTED : UNSIZED },
    get: offered('get'),
    create: offered('create'),
    update: offered('update'),
    delete: offered('delete'),
    test: offered('test'),
    restore: undefined,
    find: {},
    upsert: {},
    batch: {},
    fields: {},
  }
}

/** Parts of a record are few. No server is known to page them on request. */
const UNSIZED: PagingDocument = { ...DETECTED, isSizeOmitted: true }

const LISTING = { items: undefined, up: {}, keep: {} } as const satisfies Partial<ListOperation>

function operation(method: Operation['method'], path: string): Operation {
  return {
    ...{ method, path, base: undefined, headers: {}, query: {}, body: '{record}', set: {} },
    ...{ record: undefined, returns: 'record', sends: 'changes', drop: [] },
  }
}
