import type { Api } from './api/api.ts'
import { createApi } from './api/client.ts'
import type { Page as ApiPage, ConditionalOptions, ListQuery, WriteCallOptions } from './api/operations.ts'
import { CrmError } from './core/errors.ts'
import { isLoopback, parseBaseUrl } from './core/http-rules.ts'
import { idText, isJsonObject, type JsonObject } from './core/json.ts'
import { nearest } from './core/nearest.ts'
import type { CrmRecord as AnyRecord } from './core/resources/registry.ts'
import type { Wire } from './core/wire.ts'
import { checkKey, defaultProfile } from './settings/profile.ts'

declare const CRM_VERSION: string

/** The Node library: the client of the command line, for programs. docs/library.md shows it at work. */
export type { JsonObject, Wire }
export { CrmError }

/** As the server sent it, with its id as text also where the server has numbers for ids. */
export type CrmRecord = JsonObject & { readonly id: string }

/** One answer of a list; `nextCursor` is undefined on the last one, and where no cursor leads on. */
export interface Page extends Omit<ApiPage, 'items'> {
  readonly items: readonly CrmRecord[]
}

export interface ClientOptions {
  /** Where the CRM is, such as `https://crm.example.com`; the key goes to this origin and to no other. */
  readonly baseUrl: string
  /** Undefined is refused like an empty string, because an environment variable may be unset: CrmError `invalid_input`. */
  readonly apiKey: string | undefined
  /** Longest life of one request; 30 seconds unless given. */
  readonly timeoutMs?: number
  /** Longest time one call spends waiting for rate limits and outages; 60 seconds unless given. */
  readonly maxWaitMs?: number
  /** Ends every request and every wait; each call takes one of its own as well. */
  readonly signal?: AbortSignal
  /** What this server does differently: docs/servers.md has each member, as `wire.page_size` and so on. */
  readonly wire?: Partial<Omit<Wire, 'profile'>>
  /** Accept plain http beyond this machine, where anyone on the way can read the key. */
  readonly allowInsecureHttp?: boolean
  /** Called for waits of a second or more. */
  readonly onWait?: (waitMs: number, reason: string) => void
}

/** Records one by one, fetched a page at a time as they are taken; `pages()` gives them a page at a time. */
export interface RecordList extends AsyncIterable<CrmRecord> {
  pages(): AsyncIterable<Page>
}

/** Every method throws a CrmError for what a server or a network does wrong; its `code` says which. */
export interface Client extends AsyncDisposable {
  readonly contacts: {
    list(query?: Partial<Omit<ListQuery, 'filters'>>): RecordList
    create(fields: JsonObject, options?: Partial<WriteCallOptions>): Promise<CrmRecord>
    update(id: string, patch: JsonObject, options?: Partial<ConditionalOptions>): Promise<CrmRecord>
    delete(id: string, options?: Pick<Partial<ConditionalOptions>, 'ifMatch' | 'signal'>): Promise<void>
  }
  readonly deals: {
    list(query?: Partial<ListQuery>): RecordList
    create(fields: JsonObject, options?: Partial<WriteCallOptions>): Promise<CrmRecord>
  }
  readonly notes: {
    add(dealId: string, fields: JsonObject, options?: Partial<WriteCallOptions>): Promise<CrmRecord>
  }
  readonly pipelines: {
    stages(pipelineId: string, options?: Pick<ListQuery, 'signal'>): RecordList
  }
  readonly webhooks: {
    create(fields: JsonObject, options?: Partial<WriteCallOptions>): Promise<CrmRecord>
  }
  /** Ends idle connections, so that the process can end. */
  close(): Promise<void>
}

export function createClient(options: ClientOptions): Client {
  const given = isJsonObject(options) ? Object.keys(options) : []
  // Any sandbox is accepted, unless the name is that of another one.
  const slip = given.find((name) => !CLIENT_OPTIONS.includes(name) && nearest(name, CLIENT_OPTIONS) !== undefined)
  if (slip !== undefined || !isJsonObject(options)) {
    const fault = slip === undefined ? 'takes an object of options' : `takes no ${JSON.stringify(slip)}`
    throw new CrmError('invalid_input', `createClient ${fault}`, { hint: `expected ${CLIENT_OPTIONS.join(', ')}` })
  }
  const baseUrl = checkedBaseUrl(options)
  const { wire } = defaultProfile(baseUrl.href)
  checkNames('wire', options.wire ?? {}, Object.keys(wire))
  const api = createApi({
    baseUrl,
    key: checkKey(options.apiKey ?? '', 'apiKey'),
    wire: { ...wire, ...options.wire },
    timeoutMs: checkedMs('timeoutMs', options.timeoutMs ?? 30_000, 1),
    maxWaitMs: checkedMs('maxWaitMs', options.maxWaitMs ?? 60_000, 0),
    userAgent: `crm-cli/${CRM_VERSION} (library)`,
    signal: options.signal ?? new AbortController().signal,
    now: Date.now,
    debug: undefined,
    onWait: options.onWait,
  })
  return clientOf(api)
}

function clientOf(api: Api): Client {
  return {
    contacts: {
      list: (query = {}) => recordList(api.contacts.list, checkedQuery(query, ['limit', 'cursor', 'signal'])),
      create: async (fields, options) => withId(await api.contacts.create(checkedFields(fields), write(options))),
      update: async (id, patch, options) =>
        withId(await api.contacts.update(id, checkedFields(patch), write(options, ['ifMatch']))),
      delete: async (id, options = {}) => {
        checkNames('delete', options, ['ifMatch', 'signal'])
        await api.contacts.delete(id, { ...PLAIN_WRITE, ...options })
      },
    },
    deals: {
      list: (query = {}) => recordList(api.deals.list, checkedQuery(query, ['limit', 'cursor', 'filters', 'signal'])),
      create: async (fields, options) => withId(await api.deals.create(checkedFields(fields), write(options))),
    },
    notes: {
      add: async (dealId, fields, options) =>
        withId(await api.notes(dealId).create(checkedFields(fields), write(options))),
    },
    pipelines: {
      stages: (pipelineId, options) => recordList((id: string) => api.stages(id).list(options), pipelineId),
    },
    webhooks: {
      create: async (fields, options) => withId(await api.webhooks.create(checkedFields(fields), write(options))),
    },
    close: () => api.close(),
    [Symbol.asyncDispose]: () => api.close(),
  }
}

const WHOLE_LIST: ListQuery = { limit: undefined, cursor: undefined, filters: {} }
const PLAIN_WRITE: ConditionalOptions = { idempotencyKey: undefined, ifMatch: undefined }

/** Each iteration is a list of its own, from the start. */
function recordList<Q>(list: (query: Q) => AsyncIterable<ApiPage>, query: Q): RecordList {
  async function* pages(): AsyncGenerator<Page> {
    for await (const page of list(query)) yield { ...page, items: page.items.map(withId) }
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.items
    },
  }
}

function withId(record: AnyRecord): CrmRecord {
  const id = idText(record.id)
  return (id === undefined ? record : { ...record, id }) as CrmRecord
}

const CLIENT_OPTIONS = Object.keys({
  baseUrl: true,
  apiKey: true,
  timeoutMs: true,
  maxWaitMs: true,
  signal: true,
  wire: true,
  allowInsecureHttp: true,
  onWait: true,
} satisfies Record<keyof ClientOptions, true>)

/** A key under a misspelt name would let a repeated write happen twice. */
function write(options: Partial<ConditionalOptions> = {}, more: readonly string[] = []): ConditionalOptions {
  checkNames('a write', options, ['idempotencyKey', 'isIdNeeded', 'signal', ...more])
  return { ...PLAIN_WRITE, ...options }
}

function checkedFields(fields: JsonObject): JsonObject {
  if (isJsonObject(fields)) return fields
  throw new CrmError('invalid_input', 'a record is an object of its members', { hint: "such as { name: 'Ada' }" })
}

/** For what a program without types passes; CrmError `invalid_input` for a member that is not known, which is a typing error. */
function checkNames(what: string, given: unknown, known: readonly string[]): void {
  const hint = `expected ${known.join(', ')}`
  if (!isJsonObject(given)) throw new CrmError('invalid_input', `${what} takes an object of options`, { hint })
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new CrmError('invalid_input', `${what} takes no ${JSON.stringify(unknown)}`, { hint })
}

/** A misspelt member that was ignored would list everything; an invalid limit would list nothing. */
function checkedQuery(query: Partial<ListQuery>, known: readonly string[]): ListQuery {
  const unknown = Object.keys(query).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new CrmError('invalid_input', `a list takes no ${JSON.stringify(unknown)}`, {
      hint: `expected ${known.join(', ')}; fields of a deal go into filters: { filters: { stage: 'Won' } }`,
    })
  }
  const { limit } = query
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0)) {
    throw new CrmError('invalid_input', `limit is ${limit}, which is no number of records`, {
      hint: 'expected a whole number above 0; leave it out to list all',
    })
  }
  return { ...WHOLE_LIST, ...query }
}

/** A value that is not a time would end every call at once, or none. */
function checkedMs(name: string, value: number, leastMs: number): number {
  if (typeof value === 'number' && value >= leastMs) return value
  throw new CrmError('invalid_input', `${name} is ${String(value)}, which is no number of milliseconds`, {
    hint: `expected ${leastMs} or more`,
  })
}

function checkedBaseUrl({ baseUrl, allowInsecureHttp }: ClientOptions): URL {
  const url = parseBaseUrl(baseUrl, 'baseUrl')
  if (url.protocol === 'https:' || isLoopback(url.hostname) || allowInsecureHttp) return url
  throw new CrmError('usage', `${url.origin} is plain http, where anyone on the way can read the key`, {
    hint: 'use https, or allowInsecureHttp if that network is yours',
  })
}
