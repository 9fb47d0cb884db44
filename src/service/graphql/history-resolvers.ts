import { HISTORY_PATH, type RecordResource, recordHistoryPath } from '../../core/resources/registry.ts'
import { filterText } from '../page.ts'
import { isErased, readHistoryFilters, timeText } from '../resources/history.ts'
import type { HistoryEntry, HistoryPage } from '../store/history.ts'
import type { QueryContext, Resolver } from './query-context.ts'
import { type ConnectionArgs, connectionOf, readConnectionArgs, sentOf } from './query-resolvers.ts'
import { JsonValueText, type RecordSource } from './record-source.ts'

type FilterInput = Readonly<Record<'since' | 'until' | 'madeBy' | 'job' | 'resource', string | null | undefined>>

/** The history of all records. */
export const history: Resolver = async (
  _,
  args: ConnectionArgs & { readonly filter?: Partial<FilterInput> | null },
  { reader, writer },
) => {
  const { madeBy, resource, ...filter } = args.filter ?? {}
  const query = sentOf({ ...filter, made_by: madeBy, resource: resource?.toLowerCase() })
  const list = filterText(HISTORY_PATH, query)
  const page = readConnectionArgs(args, list, 'change')
  return changeConnection(list, await reader.history({ ...page, ...(await readHistoryFilters(writer.store, query)) }))
}

/** The history of one record. */
export function historyOf(resource: RecordResource): Resolver {
  return async ({ id }: RecordSource, args: ConnectionArgs, { reader }) => {
    const list = filterText(recordHistoryPath(resource).replace('{id}', id), {})
    const page = readConnectionArgs(args, list, 'change')
    return changeConnection(list, await reader.history({ ...page, record: { resource, id } }))
  }
}

/** The fields of a change that are no members of an entry of the store. */
export const changeResolvers: Readonly<Record<string, Resolver>> = {
  at: ({ atMs }: HistoryEntry) => timeText(atMs),
  resource: ({ resource }: HistoryEntry) => resource.toUpperCase(),
  action: ({ action }: HistoryEntry) => action.toUpperCase(),
  previousAt: ({ previousAtMs }: HistoryEntry) => (previousAtMs === null ? null : timeText(previousAtMs)),
  fields: ({ fields }: HistoryEntry) => JSON.parse(fields),
  old: ({ oldValues }: HistoryEntry, _, context) => exactly(oldValues, context),
  new: ({ newValues }: HistoryEntry, _, context) => exactly(newValues, context),
  isErased,
}

function exactly(text: string | null, context: QueryContext): JsonValueText | null {
  if (text === null) return null
  context.hasExactText = true
  return new JsonValueText(text)
}

function changeConnection(list: string, { entries, nextOlderThanId }: HistoryPage): object {
  return connectionOf<HistoryEntry>({
    list,
    nodes: entries,
    hasNextPage: nextOlderThanId !== undefined,
    idOf: ({ id }) => id,
  })
}
