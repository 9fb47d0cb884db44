import type { JsonObject } from '../../core/json.ts'
import type { StoredResource } from '../../core/resources/registry.ts'
import { requireScope } from '../admission.ts'
import type { TargetRule } from '../delivery/target-rules.ts'
import { parseJsonText } from '../json-text.ts'
import { Problem } from '../problem.ts'
import type { Author, HistoryQuery } from '../store/history.ts'
import type {
  ApiKey,
  ListedRecord,
  PageQuery,
  Pipeline,
  RecordFilters,
  Store,
  StoreWrite,
  TextPage,
  WriteAnswer,
} from '../store/store.ts'
import { type CheckedWrite, writeOnce } from '../write.ts'

/** The written number of a top-level member. A name that occurs once in the text is found without parsing. */
function numberText(text: string, name: string): string | undefined {
  const mark = `"${name}":`
  const at = text.indexOf(mark)
  if (at !== text.lastIndexOf(mark)) {
    const node = parseJsonText(text)
    const member = typeof node === 'string' ? undefined : node.get(name)
    return typeof member === 'string' ? member : undefined
  }
  return /[^,}]*/y.exec(text.slice(at + mark.length))?.[0]
}

/** The source of a record's fields. Its text is parsed on demand, and not for `json`. */
export class RecordSource {
  readonly resource: StoredResource
  readonly text: string
  #members: JsonObject | undefined

  constructor(resource: StoredResource, text: string) {
    this.resource = resource
    this.text = text
  }

  /** Numbers are JavaScript numbers; `writtenNumber` returns exact digits. */
  get members(): JsonObject {
    this.#members ??= JSON.parse(this.text) as JsonObject
    return this.#members
  }

  get id(): string {
    return this.members.id as string
  }

  /** The text of a number when it differs from the parsed value: 12500.50 is parsed as 12500.5. */
  writtenNumber(name: string): string | undefined {
    const value = this.members[name]
    if (typeof value !== 'number') return undefined
    const written = numberText(this.text, name)
    return written === JSON.stringify(value) ? undefined : written
  }
}

/** A JSON value as its exact text. */
export class JsonValueText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The limit of record text per request: two pages of the largest records. */
const MAX_CHARS = 64 * 1024 * 1024

export type QueryReader = ReturnType<typeof openQueryReader>

/** The reads of one request. Records and notes of siblings are read together. */
export function openQueryReader(store: Store, key: ApiKey) {
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
    list: (resource: ListedRecord, query: PageQuery, filters: RecordFilters | undefined) =>
      inTurn(async () => {
        const found = await store.page(resource, query, filters)
        spend(found.texts)
        return found
      }),
    notes: async (dealId: string, query: PageQuery) => {
      const load = kept(notesBy, JSON.stringify(query), () => loadNotes(query))
      return (await load(dealId)) ?? { texts: [], nextOlderThanId: undefined }
    },
    deliveries: (webhookId: string, query: PageQuery) => inTurn(() => store.deliveries.log(webhookId, query)),
    history: (query: HistoryQuery) =>
      inTurn(async () => {
        const found = await store.history(query)
        spend(found.entries.flatMap(({ oldValues, newValues }) => [oldValues ?? '', newValues ?? '']))
        return found
      }),
    pipelines: () => {
      pipelines ??= inTurn(() => store.pipelines())
      return pipelines
    },
    record: (resource: StoredResource, id: string) => kept(recordsBy, resource, () => loadRecords(resource))(id),
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

export type Idempotency = NonNullable<StoreWrite['idempotency']>

export type QueryWriter = ReturnType<typeof openQueryWriter>

/**
 * Each write of a request has its own idempotency key, derived from the request's key and the write's index: mutations run
 * sequentially, in the order of the document.
 */
export function openQueryWriter(store: Store, idempotency: Idempotency | undefined, by: Author) {
  let count = 0
  let replayedCount = 0
  return {
    store,
    write: async (change: CheckedWrite): Promise<WriteAnswer> => {
      const key = idempotency && nthKey(idempotency, count)
      count += 1
      const { answer, isReplayed } = await writeOnce(store, { ...change, idempotency: key, by })
      if (isReplayed) replayedCount += 1
      return answer
    },
    /** Whether there were writes and all of them were replayed. */
    isReplayed: () => count > 0 && replayedCount === count,
  }
}

/** Keys of clients contain no line break, so they never equal one of these. */
function nthKey({ key, fingerprint }: Idempotency, place: number): Idempotency {
  return { key: place === 0 ? key : `${key}\n${place}`, fingerprint }
}

/** The context shared by the fields of one request. */
export interface QueryContext {
  readonly reader: QueryReader
  readonly writer: QueryWriter
  /** The addresses to which events may be delivered. */
  readonly isTarget: TargetRule
  /** Set by a field that returns text to be inserted unchanged. */
  hasExactText: boolean
}

/** The schema has coerced the arguments, so resolvers rely on their types. */
// biome-ignore lint/suspicious/noExplicitAny: the executor's types come from the schema text, which TypeScript cannot derive
export type Resolver = (source: any, args: any, context: QueryContext) => unknown
