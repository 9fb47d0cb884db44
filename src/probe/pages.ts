import { createConnector } from '../api/connectors/connector.ts'
import type { PageAnswer } from '../api/operations.ts'
import type { ApiOptions } from '../api/options.ts'
import { badPage } from '../api/pages/page-errors.ts'
import { serverTerms } from '../api/server-terms.ts'
import type { Answer } from '../api/transport/answer.ts'
import type { Call } from '../api/transport/call.ts'
import { createHttp, type Http } from '../api/transport/http.ts'
import type { HostTiming, Timing } from '../api/transport/timing.ts'
import { loadConnector } from '../connector/load-connector.ts'
import { CrmError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { recordsAt, type StatedValue, statedBeside } from './records-in.ts'

/** What a probe needs of its command: where the server is, the key and how it is sent, and how long to wait. */
export interface ProbeServer extends Pick<ApiOptions, 'baseUrl' | 'key' | 'timeoutMs' | 'maxWaitMs' | 'userAgent'> {
  readonly auth: JsonObject
  readonly signal: AbortSignal
  readonly now: () => number
  readonly debug: ApiOptions['debug']
  readonly env: ApiOptions['env']
  readonly timing: Timing | HostTiming
}

/** The address of a list, the path of its records in the answer, and the id of a record. */
export interface ListPlace {
  readonly path: string
  readonly items: string
  readonly idOf: (record: JsonObject) => string | undefined
}

/** One page with the request that showed it. */
export interface SeenPage {
  readonly url: URL
  readonly answer: PageAnswer
  readonly items: readonly JsonObject[]
  /** The values beside them. */
  readonly stated: readonly StatedValue[]
}

export type QueryParameters = Readonly<Record<string, string>>

/** Where a page is asked for. */
export type PageAddress = { readonly address: string } | { readonly query: QueryParameters }

export interface ProbingHttp extends Pick<Http, 'locate' | 'close'> {
  /** The answer to a GET; the error of a refusal. An interruption is thrown. */
  look(path: string, next?: PageAddress): Promise<Answer | CrmError>
}

export function optionsOf({ timing: _, auth: __, ...server }: ProbeServer): Omit<ApiOptions, 'connector'> {
  return { ...server, terms: serverTerms({ idempotency: 'none' }), onWait: undefined }
}

/** Sends GET alone, once each. The connector sends the key, and describes nothing else. */
export function openProbing(server: ProbeServer): ProbingHttp {
  const connector = draftedConnector(server, { connector: 2, name: 'probe', auth: server.auth, objects: {} })
  const { settle, locate, close } = createHttp({ ...optionsOf(server), connector }, server.timing)
  const look: ProbingHttp['look'] = async (path, next) => {
    const settled = await settle({ ...callOf(path), method: 'GET', isProbe: true, ...next })
    if ('answer' in settled) return settled.answer
    if (settled.error.code === 'interrupted') throw settled.error
    return settled.error
  }
  return { look, locate, close }
}

/** A drafted connector as commands use it. */
export function draftedConnector({ baseUrl }: ProbeServer, draft: JsonObject) {
  const document = loadConnector(JSON.stringify(draft), { fileName: 'the draft', baseOf: () => undefined })
  return createConnector(document, { baseUrl, variables: {} })
}

function callOf(path: string): Pick<Call, 'path' | 'action' | 'command' | 'findCommand'> {
  return { path, action: `read ${path}`, command: 'crm connectors create --probe URL', findCommand: undefined }
}

export function noPage(path: string, why: string): CrmError {
  return badPage(callOf(path), why, 'crm api GET shows the answer')
}

/** One page, or the error that it is. */
export async function pageAt(
  http: ProbingHttp,
  { path, items }: Pick<ListPlace, 'path' | 'items'>,
  next: PageAddress,
): Promise<SeenPage | CrmError> {
  const answer = await http.look(path, next)
  if (answer instanceof CrmError) return answer
  const records = recordsAt(answer.json, items)
  if (!records) return noPage(path, `expected a list at ${items}`)
  const url = http.locate({ ...callOf(path), method: 'GET', ...next })
  return { url, answer, items: records, stated: statedBeside(answer.json ?? null, items) }
}

/** The records of an answer; undefined for a refusal and for what is no list. */
export async function itemsAt(
  http: ProbingHttp,
  place: Pick<ListPlace, 'path' | 'items'>,
  query: QueryParameters,
): Promise<readonly JsonObject[] | undefined> {
  const page = await pageAt(http, place, { query })
  return page instanceof CrmError ? undefined : page.items
}

export function recordKey(record: JsonObject, { idOf }: Pick<ListPlace, 'idOf'>): string {
  return idOf(record) ?? JSON.stringify(record)
}

/** Whether these are the same records in the same order. */
export function areSame(
  items: readonly JsonObject[] | undefined,
  others: readonly JsonObject[],
  place: Pick<ListPlace, 'idOf'>,
): boolean {
  return (
    items?.length === others.length &&
    items.every((item, at) => recordKey(item, place) === recordKey(others[at] ?? {}, place))
  )
}
