import {
  HISTORY_PATH,
  RECORD_RESOURCES,
  RESOURCES,
  type RecordResource,
  recordHistoryPath,
  typeName,
} from '../../core/resources/registry.ts'
import { PAGE_PARAMETERS, pageReply, readPageQuery } from '../page.ts'
import { badParameter, notFound, quotedText } from '../problem.ts'
import { type Route, route } from '../route.ts'
import type { HistoryEntry, HistoryPage, HistoryQuery } from '../store/history.ts'
import type { Store, TextPage } from '../store/store.ts'
import { type FilterQuery, readTimeMs } from './filters.ts'
import { timeText } from './records.ts'

/** The filters of the history of all records, which are combined. `key` would be taken for a key that is sent in the URL. */
const HISTORY_FILTERS = ['since', 'until', 'made_by', 'job', 'resource'] as const

export const historyRoutes: readonly Route[] = [
  route(`GET ${HISTORY_PATH}`, {
    text: 'listHistory: List the changes of all records. Newest first, in pages. Filters are combined.',
    success: [200, 'A page of changes.', 'Change'],
    parameters: [...PAGE_PARAMETERS, ...HISTORY_FILTERS],
    handle: async (store, call) => {
      const page = { ...readPageQuery(call, 'change'), ...(await readHistoryFilters(store, call.query)) }
      return pageReply(call, textsOf(await store.history(page)))
    },
  }),
  ...RECORD_RESOURCES.map((resource) => {
    const what = RESOURCES[resource].singular
    return route(`GET ${recordHistoryPath(resource)}`, {
      text: `history${typeName(resource)}: List the changes of a ${what}. Newest first, in pages; also of a deleted ${what}, without values.`,
      success: [200, 'A page of changes.', 'Change'],
      parameters: PAGE_PARAMETERS,
      handle: async (store, call) => {
        const page = readPageQuery(call, 'change')
        return pageReply(call, textsOf(await recordHistory(store, { resource, id: call.id }, page)))
      },
    })
  }),
]

/** Also of a deleted record while its history is kept. Throws the Problem of an unknown one. */
async function recordHistory(
  store: Store,
  record: NonNullable<HistoryQuery['record']>,
  page: Pick<HistoryQuery, 'limit' | 'olderThanId'>,
): Promise<HistoryPage> {
  const found = await store.history({ ...page, record })
  if (found.entries.length > 0) return found
  const { resource, id } = record
  if ((await store.records(resource, [id])).has(id)) return found
  const ever = await store.history({ limit: 1, olderThanId: undefined, record })
  if (ever.entries.length === 0) throw notFound(resource, id)
  return found
}

export async function readHistoryFilters(
  store: Store,
  query: FilterQuery,
): Promise<Omit<HistoryQuery, 'limit' | 'olderThanId'>> {
  const { made_by: key, job, resource } = query
  return {
    sinceMs: readTimeMs(query, 'since'),
    untilMs: readTimeMs(query, 'until'),
    keyIds: key === undefined ? undefined : await findKeyIds(store, key),
    job,
    resource: resource === undefined ? undefined : readResource(resource),
  }
}

/** The keys with this id or name: a rotated key has the name of the one before it. */
async function findKeyIds(store: Store, wanted: string): Promise<readonly string[]> {
  const ids = (await store.keys()).filter(({ id, name }) => id === wanted || name === wanted).map(({ id }) => id)
  if (ids.length > 0) return ids
  throw badParameter('made_by', 'unknown_key', `there is no key with the id or name ${quotedText(wanted)}`)
}

function readResource(text: string): RecordResource {
  const resource = RECORD_RESOURCES.find((each) => each === text)
  if (resource) return resource
  const expected = `expected one of ${RECORD_RESOURCES.join(', ')}`
  throw badParameter('resource', 'not_allowed', `${expected}, got ${quotedText(text)}`)
}

function textsOf({ entries, nextOlderThanId }: HistoryPage): TextPage {
  return { texts: entries.map(entryText), nextOlderThanId }
}

/** Values are inserted as they were sent, with their digits. */
function entryText(entry: HistoryEntry): string {
  const { id, atMs, resource, recordId, action, version, previousAtMs, keyId, keyName, job, requestId } = entry
  const about = { id, at: timeText(atMs), resource, record_id: recordId, action, version }
  const previous = { previous_at: timeText(previousAtMs) }
  const who = { key_id: keyId, key_name: keyName, job, request_id: requestId, is_erased: isErased(entry) }
  const values = `"fields":${entry.fields},"old":${entry.oldValues},"new":${entry.newValues}`
  return `${JSON.stringify({ ...about, ...previous }).slice(0, -1)},${values},${JSON.stringify(who).slice(1)}`
}

/** Whether the values were erased with the record. */
export function isErased({ action, oldValues, newValues }: HistoryEntry): boolean {
  return action !== 'deleted' && oldValues === null && newValues === null
}
