import { decodeId, type IdKind } from '../../core/ids.ts'
import {
  filtersOf,
  HISTORY_PATH,
  RESOURCES,
  type RecordResource,
  recordHistoryPath,
  STORED_RESOURCES,
  type StoredResource,
} from '../../core/resources/registry.ts'
import { checkedLimit, cursorsOf, decodeCursor, filterText, LIMIT, pageOfAll, unknownCursor } from '../page.ts'
import { type FilterQuery, limitedAlternatives, readFilters } from '../resources/filters.ts'
import { readHistoryFilters } from '../resources/history.ts'
import type { HistoryPage } from '../store/history.ts'
import type { ListedRecord, PageQuery, Pipeline, RecordFilters, TextPage } from '../store/store.ts'
import { JsonValueText, RecordSource, type Resolver } from './query-context.ts'
import { graphqlFieldName } from './types.ts'

const PIPELINES_LIST = filterText(RESOURCES.pipeline.path, {})

const LISTED = STORED_RESOURCES.filter((resource): resource is ListedRecord => resource !== 'note')

interface ById {
  readonly id: string
}

export const queryResolvers: Readonly<Record<string, Resolver>> = {
  ...Object.fromEntries(STORED_RESOURCES.map((resource) => [resource, byId(resource)])),
  ...Object.fromEntries(LISTED.map((name) => [RESOURCES[name].plural, listOf(name)])),
  pipeline: (_, { id }: ById, { reader }) => findPipeline(reader.pipelines(), id),
  node: async (_, { id }: ById, { reader }) => {
    const resource = STORED_RESOURCES.find((each) => decodeId(each, id) !== undefined)
    return resource ? reader.record(resource, id) : findPipeline(reader.pipelines(), id)
  },
  pipelines: async (_, args: ConnectionArgs, { reader }) => {
    const place = readConnectionArgs(args, PIPELINES_LIST)
    const unknown = () => unknownCursor(args.after ?? '', 'after')
    return connectionOf(PIPELINES_LIST, pageOfAll(await reader.pipelines(), place, unknown))
  },
  history: async (
    _,
    args: ConnectionArgs & { readonly filter?: Partial<HistoryFilterInput> | null },
    { reader, writer },
  ) => {
    const { madeBy, resource, ...filter } = args.filter ?? {}
    const query = sentOf({ ...filter, made_by: madeBy, resource: resource?.toLowerCase() })
    const list = filterText(HISTORY_PATH, query)
    const page = readConnectionArgs(args, list, 'change')
    return changeConnection(list, await reader.history({ ...page, ...(await readHistoryFilters(writer.store, query)) }))
  },
}

type HistoryFilterInput = Readonly<Record<'since' | 'until' | 'madeBy' | 'job' | 'resource', Maybe<string>>>

/** The history of one record. */
export function historyOf(resource: RecordResource): Resolver {
  return async ({ id }: RecordSource, args: ConnectionArgs, { reader }) => {
    const list = filterText(recordHistoryPath(resource).replace('{id}', id), {})
    const page = readConnectionArgs(args, list, 'change')
    return changeConnection(list, await reader.history({ ...page, record: { resource, id } }))
  }
}

function changeConnection(list: string, { entries, nextOlderThanId }: HistoryPage): object {
  return connectionOf(list, { items: entries, nextOlderThanId })
}

export function recordConnection(resource: StoredResource, list: string, { texts, nextOlderThanId }: TextPage): object {
  return connectionOf(list, { items: texts.map((text) => new RecordSource(resource, text)), nextOlderThanId })
}

export async function findPipeline(all: Promise<readonly Pipeline[]>, id: unknown): Promise<Pipeline | undefined> {
  return (await all).find((each) => each.id === id)
}

function byId(resource: StoredResource): Resolver {
  return (_, { id }: ById, { reader }) => reader.record(resource, id)
}

function listOf(resource: ListedRecord): Resolver {
  return async (_, args: ConnectionArgs & { readonly filter?: FilterInput | null }, { reader }) => {
    const { filters, query } = readFilter(resource, args.filter ?? {})
    const list = filterText(RESOURCES[resource].path, query)
    const page = readConnectionArgs(args, list, resource)
    return recordConnection(resource, list, await reader.list(resource, page, filters))
  }
}

type Maybe<T> = T | null | undefined

/** `ContactFilter` of the schema: lists of values, and bounds. */
type FilterInput = Readonly<Record<string, Maybe<string | readonly string[] | JsonValueText>>>

/** The filters, and the equivalent query of REST, to which cursors are bound. Values may contain commas. An empty list is no filter. */
function readFilter(
  resource: ListedRecord,
  input: FilterInput,
): { readonly filters: RecordFilters | undefined; readonly query: FilterQuery } {
  const bounds: Record<string, string> = {}
  const values: Record<string, readonly string[]> = {}
  for (const name of filtersOf(resource)) {
    const field = graphqlFieldName(name)
    const value = input[field]
    if (value instanceof JsonValueText) bounds[name] = value.text
    else if (typeof value === 'string') bounds[name] = value
    else if (value && value.length > 0) values[name] = limitedAlternatives(`filter.${field}`, value)
  }
  const lists = Object.entries(values)
  const read = readFilters(resource, bounds)
  return {
    filters: lists.length === 0 ? read : { ...read, values },
    query: { ...bounds, ...Object.fromEntries(lists.map(([name, all]) => [name, all.join(',')])) },
  }
}

function sentOf(all: Readonly<Record<string, Maybe<string>>>): FilterQuery {
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

export interface ConnectionArgs {
  readonly first?: number | null
  readonly after?: string | null
}

/** The start and size of a page. Without a kind, the cursor may contain any id. */
export function readConnectionArgs({ first, after }: ConnectionArgs, list: string, kind?: IdKind): PageQuery {
  return {
    limit: checkedLimit(first ?? LIMIT.usual, 'first', undefined),
    olderThanId: after === undefined || after === null ? undefined : decodeCursor(after, list, kind, 'after'),
  }
}

/** One page of a list, to which its cursors are bound, as in REST. Edges and cursors are computed on demand. */
export function connectionOf<T>(
  list: string,
  { items, nextOlderThanId }: { readonly items: readonly T[]; readonly nextOlderThanId: string | undefined },
  idOf: (item: T) => string = (item) => (item as { readonly id: string }).id,
): object {
  const cursorOf = cursorsOf(list)
  const cursorAt = (place: number): string | null => {
    const item = items.at(place)
    return item === undefined ? null : cursorOf(idOf(item))
  }
  return {
    nodes: items,
    edges: () => items.map((node) => ({ node, cursor: () => cursorOf(idOf(node)) })),
    pageInfo: {
      hasNextPage: nextOlderThanId !== undefined,
      hasPreviousPage: false,
      startCursor: () => cursorAt(0),
      endCursor: () => cursorAt(-1),
    },
  }
}
