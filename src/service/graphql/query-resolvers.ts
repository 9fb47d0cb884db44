import { decodeId } from '../../core/ids.ts'
import { CONTACTS_PATH } from '../contact-changes.ts'
import { filterText, noCursor } from '../cursor.ts'
import { DEALS_PATH } from '../deal-changes.ts'
import type { Pipeline, RecordKind, TextPage } from '../store/store.ts'
import { WEBHOOKS_PATH } from '../webhook-creation.ts'
import { type ConnectionArgs, connectionOf, readConnectionArgs } from './connection.ts'
import { type DealFilterInput, readDealFilter } from './deal-filter.ts'
import { RecordSource } from './record-source.ts'
import type { Resolver } from './resolver.ts'

const PIPELINES_LIST = filterText('/v1/pipelines', {})

const RECORD_KINDS: readonly RecordKind[] = ['contact', 'deal', 'note', 'webhook']

interface ById {
  readonly id: string
}

export const queryResolvers: Readonly<Record<string, Resolver>> = {
  contact: byId('contact'),
  deal: byId('deal'),
  note: byId('note'),
  webhook: byId('webhook'),
  pipeline: (_, { id }: ById, { reader }) => findPipeline(reader.pipelines(), id),
  node: async (_, { id }: ById, { reader }) => {
    const kind = kindOf(id)
    return kind ? reader.record(kind, id) : findPipeline(reader.pipelines(), id)
  },
  contacts: async (_, args: ConnectionArgs, { reader }) => {
    const list = filterText(CONTACTS_PATH, {})
    return recordConnection('contact', list, await reader.contacts(readConnectionArgs(args, list, 'contact')))
  },
  deals: async (_, args: ConnectionArgs & { readonly filter?: DealFilterInput | null }, { reader }) => {
    const { filters, query } = readDealFilter(args.filter ?? {})
    const list = filterText(DEALS_PATH, query)
    return recordConnection('deal', list, await reader.deals(readConnectionArgs(args, list, 'deal'), filters))
  },
  webhooks: async (_, args: ConnectionArgs, { reader }) => {
    const list = filterText(WEBHOOKS_PATH, {})
    return recordConnection('webhook', list, await reader.webhooks(readConnectionArgs(args, list, 'webhook')))
  },
  pipelines: async (_, args: ConnectionArgs, { reader }) => {
    const { limit, olderThanId } = readConnectionArgs(args, PIPELINES_LIST)
    const all = await reader.pipelines()
    const last = all.findIndex(({ id }) => id === olderThanId)
    if (olderThanId !== undefined && last < 0) throw noCursor(args.after ?? '', 'after')
    const nodes = all.slice(last + 1, last + 1 + limit)
    const hasNextPage = last + 1 + limit < all.length
    return connectionOf<Pipeline>({ list: PIPELINES_LIST, nodes, hasNextPage, idOf: ({ id }) => id })
  },
}

export function recordConnection(kind: RecordKind, list: string, page: TextPage): object {
  return connectionOf<RecordSource>({
    list,
    nodes: page.texts.map((text) => new RecordSource(kind, text)),
    hasNextPage: page.nextOlderThanId !== undefined,
    idOf: ({ id }) => id,
  })
}

export async function findPipeline(all: Promise<readonly Pipeline[]>, id: unknown): Promise<Pipeline | undefined> {
  return (await all).find((each) => each.id === id)
}

function byId(kind: RecordKind): Resolver {
  return (_, { id }: ById, { reader }) => reader.record(kind, id)
}

function kindOf(id: string): RecordKind | undefined {
  return RECORD_KINDS.find((kind) => decodeId(kind, id) !== undefined)
}
