import type { ServiceOperation } from '../../core/resources/field.ts'
import {
  filtersOf,
  RESOURCES,
  type Resource,
  recordPath,
  type ServiceOperationOf,
  type StoredResource,
  serviceOperationsOf,
  typeName,
} from '../../core/resources/registry.ts'
import type { TargetRule } from '../delivery/target-rules.ts'
import type { Members } from '../json-text.ts'
import { PAGE_PARAMETERS } from '../page.ts'
import { notFound } from '../problem.ts'
import { type Route, readBody, route } from '../route.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { type CheckedWrite, type ExpectedVersions, readIfMatch, write } from '../write.ts'
import { recordDeletion } from './records.ts'

export type Handler = Route['handle']

const METHODS = { list: 'GET', create: 'POST', get: 'GET', update: 'PATCH', delete: 'DELETE', test: 'POST' } as const

export function methodOf(operation: ServiceOperation): Route['method'] {
  return METHODS[operation]
}

/** The path of an operation, with `{id}` for an id. */
export function operationPath(resource: Resource, operation: ServiceOperation): string {
  if (operation === 'list' || operation === 'create') return RESOURCES[resource].path
  return operation === 'test' ? `${recordPath(resource)}/test` : recordPath(resource)
}

const REPLAYED = ['ETag', 'Idempotent-Replayed'] as const

/** The routes of a resource, one for each of its operations. `texts`: where they differ from those of other resources. */
export function routesOf<R extends Resource>(
  resource: R,
  handlers: Readonly<Record<ServiceOperationOf<R>, Handler>>,
  texts: { readonly [O in ServiceOperationOf<R>]?: readonly [summary: string | undefined, description?: string] } = {},
): readonly Route[] {
  const { singular, plural } = RESOURCES[resource]
  const type = typeName(resource)
  const filters = filtersOf(resource).length === 0 ? '' : ' Filters are combined.'
  const described: Readonly<Record<ServiceOperation, readonly [summary: string, description: string]>> = {
    list: [`List ${plural}`, `Newest first, in pages.${filters}`],
    create: [
      `Create a ${singular}`,
      'An object with at least one member, at most 64 KiB. Custom members are stored unchanged.',
    ],
    get: [`Show a ${singular}`, 'The whole record, with its version in ETag.'],
    update: [`Change a ${singular}`, 'A JSON merge patch (RFC 7396): null removes a member.'],
    delete: [`Delete a ${singular}`, 'Repeating it gives 404.'],
    test: ['Send a test event', 'One webhook.test event, to this subscription alone, whatever events it names.'],
  }
  // Only the response to its creation shows the secret of a webhook.
  const created = resource === 'webhook' ? 'CreatedWebhook' : type
  const parts: Readonly<Record<ServiceOperation, Partial<Route>>> = {
    list: {
      success: [200, `A page of ${plural}.`, type],
      parameters: [...PAGE_PARAMETERS, ...filtersOf(resource)],
    },
    create: { success: [201, `The ${singular}.`, created, 'Location', ...REPLAYED], body: `New${type}` },
    get: { success: [200, `The ${singular}.`, type, 'ETag'] },
    update: { success: [200, `The changed ${singular}.`, type, ...REPLAYED], body: `${type}Patch` },
    delete: { success: [204, 'Deleted.'] },
    test: { success: [202, 'The event, which will be sent.', 'WebhookTest', 'Idempotent-Replayed'] },
  }
  return serviceOperationsOf(resource).map((operation) => {
    const [summary, description] = described[operation]
    const [ownSummary = summary, ownDescription = description] = texts[operation] ?? []
    const noun = operation === 'list' ? `${plural.slice(0, 1).toUpperCase()}${plural.slice(1)}` : type
    return route(`${METHODS[operation]} ${operationPath(resource, operation)}`, {
      text: `${operation}${noun}: ${ownSummary}. ${ownDescription}`,
      ...parts[operation],
      isWrite: METHODS[operation] !== 'GET',
      handle: handlers[operation],
    })
  })
}

/** A record by its id. Throws the Problem of an unknown one. */
export async function getRecord(store: Store, resource: StoredResource, id: string): Promise<StoredRecord> {
  const record = (await store.records(resource, [id])).get(id)
  if (!record) throw notFound(resource, id)
  return record
}

/** What a write may depend on besides its record. */
export interface WritePlace {
  readonly store: Store
  /** The addresses to which events may be delivered. */
  readonly isTarget: TargetRule
  /** The record that a new one belongs to. */
  readonly parentId?: string
}

/** How records of a resource are written, the same in REST and GraphQL. */
export interface RecordWrites {
  create(sent: Members, place: WritePlace): CheckedWrite | Promise<CheckedWrite>
  /** A merge patch. */
  update?(
    id: string,
    patch: Members,
    expected: ExpectedVersions,
    place: WritePlace,
  ): CheckedWrite | Promise<CheckedWrite>
}

/** Of REST, for the operations that are alike for all resources. */
export function handlersOf(
  resource: StoredResource,
  { create, update }: RecordWrites,
  isTarget: TargetRule = () => true,
) {
  return {
    create: async (store, call) =>
      write(store, call, await create(readBody(call), { store, isTarget, parentId: call.id })),
    get: async (store, call) => {
      const { text, version } = await getRecord(store, resource, call.id)
      return { status: 200, body: text, headers: { etag: `"${version}"` } }
    },
    update: async (store, call) => {
      const expected = readIfMatch(call.headers['if-match'])
      const change = await update?.(call.id, readBody(call), expected, { store, isTarget })
      if (!change) throw new Error(`a ${resource} cannot be changed`)
      return write(store, call, change)
    },
    delete: async (store, call) =>
      write(store, call, recordDeletion(resource, call.id, readIfMatch(call.headers['if-match']))),
  } satisfies Partial<Record<ServiceOperation, Handler>>
}
