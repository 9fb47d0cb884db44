import { decodeId, type IdKind } from '../../core/ids.ts'
import {
  OPEN_RESOURCES,
  type OpenResource,
  RESOURCES,
  STORED_RESOURCES,
  type StoredResource,
} from '../../core/resources/registry.ts'
import { cursorsOf, decodeCursor, filterText, LIMIT, unknownCursor } from '../page.ts'
import { badParameter } from '../problem.ts'
import { type FilterQuery, limitedAlternatives, readDealFilters, readPlainFilters } from '../resources/filters.ts'
import type { DealFilters, PageQuery, Pipeline, PlainFilters, TextPage } from '../store/store.ts'
import { memberName } from './members.ts'
import type { Resolver } from './query-context.ts'
import { type JsonValueText, RecordSource } from './record-source.ts'

const PIPELINES_LIST = filterText(RESOURCES.pipeline.path, {})

const WEBHOOKS_LIST = filterText(RESOURCES.webhook.path, {})

interface ById {
  readonly id: string
}

export const queryResolvers: Readonly<Record<string, Resolver>> = {
  ...Object.fromEntries(STORED_RESOURCES.map((resource) => [resource, byId(resource)])),
  ...Object.fromEntries(OPEN_RESOURCES.map((name) => [RESOURCES[name].plural, listOf(name)])),
  webhooks: async (_, args: ConnectionArgs, { reader }) =>
    recordConnection(
      'webhook',
      WEBHOOKS_LIST,
      await reader.page('webhook', readConnectionArgs(args, WEBHOOKS_LIST, 'webhook')),
    ),
  pipeline: (_, { id }: ById, { reader }) => findPipeline(reader.pipelines(), id),
  node: async (_, { id }: ById, { reader }) => {
    const resource = STORED_RESOURCES.find((each) => decodeId(each, id) !== undefined)
    return resource ? reader.record(resource, id) : findPipeline(reader.pipelines(), id)
  },
  deals: async (_, args: ConnectionArgs & { readonly filter?: DealFilterInput | null }, { reader }) => {
    const { filters, query } = readDealFilter(args.filter ?? {})
    const list = filterText(RESOURCES.deal.path, query)
    return recordConnection('deal', list, await reader.deals(readConnectionArgs(args, list, 'deal'), filters))
  },
  pipelines: async (_, args: ConnectionArgs, { reader }) => {
    const { limit, olderThanId } = readConnectionArgs(args, PIPELINES_LIST)
    const all = await reader.pipelines()
    const last = all.findIndex(({ id }) => id === olderThanId)
    if (olderThanId !== undefined && last < 0) throw unknownCursor(args.after ?? '', 'after')
    const nodes = all.slice(last + 1, last + 1 + limit)
    const hasNextPage = last + 1 + limit < all.length
    return connectionOf<Pipeline>({ list: PIPELINES_LIST, nodes, hasNextPage, idOf: ({ id }) => id })
  },
}

export function recordConnection(resource: StoredResource, list: string, page: TextPage): object {
  return connectionOf<RecordSource>({
    list,
    nodes: page.texts.map((text) => new RecordSource(resource, text)),
    hasNextPage: page.nextOlderThanId !== undefined,
    idOf: ({ id }) => id,
  })
}

export async function findPipeline(all: Promise<readonly Pipeline[]>, id: unknown): Promise<Pipeline | undefined> {
  return (await all).find((each) => each.id === id)
}

function byId(resource: StoredResource): Resolver {
  return (_, { id }: ById, { reader }) => reader.record(resource, id)
}

function listOf(resource: OpenResource): Resolver {
  return async (_, args: ConnectionArgs & { readonly filter?: PlainFilterInput | null }, { reader }) => {
    const { filters, query } = readPlainFilter(resource, args.filter ?? {})
    const list = filterText(RESOURCES[resource].path, query)
    const page = readConnectionArgs(args, list, resource)
    const found = await (filters ? reader.filteredPage(resource, page, filters) : reader.page(resource, page))
    return recordConnection(resource, list, found)
  }
}

type Maybe<T> = T | null | undefined

/** `DealFilter` of the schema. */
interface DealFilterInput {
  readonly stage?: Maybe<readonly string[]>
  readonly ownerId?: Maybe<readonly string[]>
  readonly pipelineId?: Maybe<readonly string[]>
  readonly name?: Maybe<readonly string[]>
  readonly amountGte?: Maybe<JsonValueText>
  readonly amountLte?: Maybe<JsonValueText>
  readonly createdSince?: Maybe<string>
  readonly createdUntil?: Maybe<string>
}

/** The filters, and the equivalent query of REST, to which cursors are bound. Values in a list may contain commas. */
function readDealFilter(input: DealFilterInput): { readonly filters: DealFilters; readonly query: FilterQuery } {
  const lists = { stage: input.stage, owner_id: input.ownerId, pipeline_id: input.pipelineId, name: input.name }
  const bounds = sentOf({
    'amount[gte]': input.amountGte?.text,
    'amount[lte]': input.amountLte?.text,
    created_since: input.createdSince,
    created_until: input.createdUntil,
  })
  const filters: DealFilters = {
    ...readDealFilters(bounds),
    stages: limitedAlternatives('filter.stage', lists.stage ?? []),
    ownerIds: limitedAlternatives('filter.ownerId', lists.owner_id ?? []),
    pipelineIds: limitedAlternatives('filter.pipelineId', lists.pipeline_id ?? []),
    names: limitedAlternatives('filter.name', lists.name ?? []),
  }
  const joined = Object.entries(lists).map(([name, values]): [string, string | undefined] => [name, values?.join(',')])
  return { filters, query: { ...bounds, ...sentOf(Object.fromEntries(joined)) } }
}

/** `ContactFilter` of the schema: lists of values, and times. */
type PlainFilterInput = Readonly<Record<string, Maybe<string | readonly string[]>>>

/** As `readDealFilter`. An empty list is no filter. */
function readPlainFilter(
  resource: OpenResource,
  input: PlainFilterInput,
): { readonly filters: PlainFilters | undefined; readonly query: FilterQuery } {
  const sent = Object.entries(input).map(([field, value]) => ({ field, name: memberName(field), value }))
  const values = sent.flatMap(({ field, name, value }) => {
    const isList = Array.isArray(value) && value.length > 0
    return isList ? [[name, limitedAlternatives(`filter.${field}`, value)] as const] : []
  })
  const times = Object.fromEntries(
    sent.flatMap(({ name, value }) => (typeof value === 'string' ? [[name, value]] : [])),
  )
  const bounds = readPlainFilters(resource, times)
  const { createdSinceMs, createdUntilMs } = bounds ?? {}
  return {
    filters: values.length === 0 ? bounds : { values: Object.fromEntries(values), createdSinceMs, createdUntilMs },
    query: { ...times, ...Object.fromEntries(values.map(([name, all]) => [name, all.join(',')])) },
  }
}

export function sentOf(all: Readonly<Record<string, Maybe<string>>>): FilterQuery {
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

export interface ConnectionArgs {
  readonly first?: number | null
  readonly after?: string | null
}

/** One page of a list. Its cursors are bound to `list`, as in REST. */
interface ConnectionPage<T> {
  readonly list: string
  readonly nodes: readonly T[]
  readonly hasNextPage: boolean
  idOf(node: T): string
}

/** The start and size of a page. Without a kind, the cursor may contain any id. */
export function readConnectionArgs({ first, after }: ConnectionArgs, list: string, kind?: IdKind): PageQuery {
  const limit = first ?? LIMIT.usual
  if (limit < LIMIT.smallest || limit > LIMIT.largest) {
    const expected = `expected a whole number from ${LIMIT.smallest} to ${LIMIT.largest}`
    throw badParameter('first', 'invalid_limit', `${expected}, got ${limit}`)
  }
  if (after === undefined || after === null) return { limit, olderThanId: undefined }
  const olderThanId = decodeCursor(after, list, 'after')
  if (kind && decodeId(kind, olderThanId) === undefined) throw unknownCursor(after, 'after')
  return { limit, olderThanId }
}

/** Edges and cursors are computed on demand. */
export function connectionOf<T>({ list, nodes, hasNextPage, idOf }: ConnectionPage<T>): object {
  const cursorOf = cursorsOf(list)
  const cursorAt = (place: number): string | null => {
    const node = nodes.at(place)
    return node === undefined ? null : cursorOf(idOf(node))
  }
  return {
    nodes,
    edges: () => nodes.map((node) => ({ node, cursor: () => cursorOf(idOf(node)) })),
    pageInfo: {
      hasNextPage,
      hasPreviousPage: false,
      startCursor: () => cursorAt(0),
      endCursor: () => cursorAt(-1),
    },
  }
}
