import type { StoredResource } from '../../core/resources/registry.ts'
import { requireScope } from '../admission.ts'
import { Problem } from '../problem.ts'
import { type ListedRecord, listPage, type RecordFilters } from '../resources/filters.ts'
import type { DeliveryPage } from '../store/deliveries.ts'
import type { HistoryPage, HistoryQuery } from '../store/history.ts'
import type { ApiKey, PageQuery, Pipeline, Store, TextPage } from '../store/store.ts'
import { RecordSource } from './record-source.ts'

/** The limit of record text per request: two pages of the largest records. */
const MAX_CHARS = 64 * 1024 * 1024

/** The reads of one request. Records and notes of siblings are read together. */
export interface QueryReader {
  list(resource: ListedRecord, query: PageQuery, filters: RecordFilters | undefined): Promise<TextPage>
  notes(dealId: string, query: PageQuery): Promise<TextPage>
  deliveries(webhookId: string, query: PageQuery): Promise<DeliveryPage>
  history(query: HistoryQuery): Promise<HistoryPage>
  pipelines(): Promise<readonly Pipeline[]>
  record(resource: StoredResource, id: string): Promise<RecordSource | undefined>
}

export function openQueryReader(store: Store, key: ApiKey): QueryReader {
  let chars = 0
  let before: Promise<unknown> = Promise.resolve()
  /** Sequential, so that the limit is checked before more is read. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    requireScope(key, 'read')
    const done = before.then(work)
    before = done.catch(() => undefined)
    return done
  }
  const spend = (texts: readonly string[]): void => {
    for (const text of texts) chars += text.length
    if (chars > MAX_CHARS) throw tooMuch()
  }
  const notesBy = new Map<string, (dealId: string) => Promise<TextPage | undefined>>()
  const recordsBy = new Map<StoredResource, (id: string) => Promise<RecordSource | undefined>>()
  const loadNotes = (query: PageQuery) =>
    batched((dealIds) =>
      inTurn(async () => {
        const pages = await store.notes({ ...query, dealIds, maxChars: MAX_CHARS - chars })
        for (const { texts } of pages.values()) spend(texts)
        return pages
      }),
    )
  const loadRecords = (resource: StoredResource) =>
    batched((ids) =>
      inTurn(async () => {
        const found = await store.records(resource, ids)
        spend([...found.values()].map(({ text }) => text))
        return new Map([...found].map(([id, { text }]) => [id, new RecordSource(resource, text)]))
      }),
    )
  let pipelines: Promise<readonly Pipeline[]> | undefined
  return {
    list: (resource, query, filters) =>
      inTurn(async () => {
        const found = await listPage(store, resource, query, filters)
        spend(found.texts)
        return found
      }),
    notes: async (dealId, query) => {
      const load = kept(notesBy, JSON.stringify(query), () => loadNotes(query))
      return (await load(dealId)) ?? { texts: [], nextOlderThanId: undefined }
    },
    deliveries: (webhookId, query) => inTurn(() => store.deliveries.log(webhookId, query)),
    history: (query) =>
      inTurn(async () => {
        const found = await store.history(query)
        spend(found.entries.flatMap(({ oldValues, newValues }) => [oldValues ?? '', newValues ?? '']))
        return found
      }),
    pipelines: () => {
      pipelines ??= inTurn(() => store.pipelines())
      return pipelines
    },
    record: (resource, id) => kept(recordsBy, resource, () => loadRecords(resource))(id),
  }
}

function kept<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}

function tooMuch(): Problem {
  const detail = 'the response would be larger than 64 MiB; request fewer records'
  return new Problem(422, 'answer_too_large', detail)
}

/**
 * Loads by key, with one call of `load` for all keys requested in one pass of the executor. Resolves to undefined for a key
 * that `load` does not return.
 */
function batched<V>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
): (key: string) => Promise<V | undefined> {
  const known = new Map<string, Promise<V | undefined>>()
  let waiting: string[] = []
  let loading: Promise<ReadonlyMap<string, V>> | undefined
  const loadWaiting = async (): Promise<ReadonlyMap<string, V>> => {
    // The executor resolves sibling fields synchronously, so after this tick all keys are collected.
    await undefined
    const keys = waiting
    waiting = []
    loading = undefined
    return load(keys)
  }
  return (key) => {
    const before = known.get(key)
    if (before) return before
    waiting.push(key)
    loading ??= loadWaiting()
    const value = loading.then((found) => found.get(key))
    known.set(key, value)
    return value
  }
}
