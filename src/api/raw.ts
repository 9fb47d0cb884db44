import type { PagingDocument } from '../connector/document.ts'
import { CrmError } from '../core/errors.ts'
import { LISTED_RESOURCES, RESOURCES } from '../core/resources/registry.ts'
import { shellWord } from '../core/shell-words.ts'
import type { Connector } from './connectors/connector.ts'
import type { Page } from './operations.ts'
import { pathPages } from './pages/pages.ts'
import type { Answer } from './transport/answer.ts'
import type { Call, Method } from './transport/call.ts'
import { replaceHeaders } from './transport/headers.ts'
import type { Http } from './transport/http.ts'

export function createRaw(http: Http, connector: Connector, baseUrl: URL): RawApi {
  const { common, errors } = connector
  const addressOf = (path: string): string => {
    const url = new URL(baseUrl.pathname.replace(/\/+$/, '') + checkPath(path), baseUrl.origin)
    for (const [name, value] of Object.entries(common.query)) {
      if (!url.searchParams.has(name)) url.searchParams.append(name, value)
    }
    return url.pathname + url.search
  }
  return {
    send: async ({ method, path, headers, bytes, idempotencyKey, isProbe, signal }) => {
      const settled = await http.settle({
        ...callOf(method, path),
        address: addressOf(path),
        headers: replaceHeaders(common.headers, headers),
        ...(errors && { errors }),
        ...(bytes && { bytes: Buffer.from(bytes) }),
        ...{ idempotencyKey, signal },
        ...{ isAnyTypeTaken: true, isJudged: true },
        ...(isProbe && { isProbe }),
      })
      if ('answer' in settled) {
        const { answer } = settled
        const why = connector.whyRefused(method, path.replace(/\?.*/s, ''), answer)
        return { reply: replyOf(answer), error: why === undefined ? undefined : refused(method, path, { answer, why }) }
      }
      return { reply: replyOf(settled.failure), error: settled.error }
    },
    pages: (path, { limit, cursor: given, onRefused }) => {
      const [only = '', text = ''] = checkPath(path).split(/\?(.*)/s)
      const { cursor, ...asked } = listQuery(text, connector.listAt(only).paging)
      const query = { ...asked, limit, cursor: given ?? cursor }
      return pathPages(reportingRefusals(http, onRefused), connector, { ...callOf('GET', only), query })
    },
    headers: (given) => replaceHeaders(common.headers, given),
    locate: (path) => new URL(addressOf(path), baseUrl.origin),
  }
}

function refused(
  method: Method,
  path: string,
  { answer, why }: { readonly answer: Answer; readonly why: string },
): CrmError {
  return new CrmError('rejected', `cannot ${method} ${path}: the answer (${answer.status}) ${why}`, {
    hint: 'crm connectors check compares the connector with the server',
    status: answer.status,
  })
}

function reportingRefusals(http: Http, report: (reply: RawReply) => void): Http {
  return {
    ...http,
    request: async (call) => {
      const settled = await http.settle(call)
      if ('answer' in settled) return settled.answer
      const reply = replyOf(settled.failure)
      if (reply) report(reply)
      throw settled.error
    },
  }
}

/** Path and query, encoded. CrmError `usage` for another origin, because the key belongs to one. */
function checkPath(text: string): string {
  const url = /^\/(?![/\\])/.test(text) ? URL.parse(text, 'http://origin.invalid') : null
  if (url?.origin === 'http://origin.invalid' && url.hash === '') return url.pathname + url.search
  throw new CrmError('usage', `${JSON.stringify(text)} is not a path`, {
    hint: 'expected a path on the server of the profile, such as /v1/contacts; -p or CRM_BASE_URL name another server',
  })
}

function callOf(
  method: Method,
  path: string,
): Pick<Call, 'action' | 'command' | 'findCommand' | 'showCommand' | 'lookCommand' | 'path'> & { method: Method } {
  const [only = ''] = path.split('?')
  // `/v1/contacts` of `/v1/contacts/con_0abc`: the list that contains the record.
  const parent = /^(\/[^/]+\/[^/]+)\/[^/]+/.exec(only)?.[1]
  return {
    method,
    path: only,
    action: `${method} ${only}`,
    command: `crm api ${method} ${only}`,
    findCommand: parent === undefined ? undefined : listCommand(parent),
    showCommand: recordCommand(only) ?? `crm api GET ${shellWord(only)} -i`,
    lookCommand: `crm api GET ${shellWord(only)}`,
  }
}

/** For records that have a command: not every server supports GET for a single record. */
function recordCommand(path: string): string | undefined {
  const [, list, id] = /^(.+)\/([\w-]+)$/.exec(path) ?? []
  const resource = LISTED_RESOURCES.find((each) => RESOURCES[each].path === list)
  return resource && `crm ${RESOURCES[resource].plural} get ${id}`
}

/** REST has no list of pipelines. */
function listCommand(path: string): string {
  return path === '/v1/pipelines' ? 'crm pipelines list' : `crm api GET ${shellWord(path)}`
}

function replyOf({ status, headers, body }: Partial<RawReply>): RawReply | undefined {
  return status === undefined ? undefined : { status, headers: headers ?? {}, body: body ?? Buffer.alloc(0) }
}

/** Separates the parameters of paging from the filters. */
function listQuery(text: string, { size: sized, param }: PagingDocument) {
  const filters: Record<string, string> = {}
  let size: { size: number } | undefined
  let cursor: string | undefined
  for (const [name, value] of new URLSearchParams(text)) {
    if (name === sized?.param && /^[1-9]\d{0,5}$/.test(value)) size = { size: Number(value) }
    else if (name === param) cursor = value
    else if (!Object.hasOwn(filters, name)) filters[name] = value
    else {
      throw new CrmError('usage', `--paginate cannot repeat the parameter ${name}`, { hint: 'give it once' })
    }
  }
  return { filters, cursor, ...size }
}

interface RawRequest {
  readonly method: Method
  /** Path and query. */
  readonly path: string
  /** Alternating names and values. */
  readonly headers: readonly string[]
  readonly bytes: Uint8Array | undefined
  readonly idempotencyKey: string | undefined
  /** Not retried in an outage. */
  readonly isProbe?: true
  readonly signal?: AbortSignal | undefined
}

interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
}

interface RawOutcome {
  /** Undefined if no server answered. */
  readonly reply: RawReply | undefined
  /** Undefined for a success. */
  readonly error: CrmError | undefined
}

interface RawListQuery {
  readonly limit: number | undefined
  /** The cursor of an earlier list; the path may also contain it. */
  readonly cursor: string | undefined
  /** Receives an answer that is not a page before its error is thrown. */
  readonly onRefused: (reply: RawReply) => void
}

/** Any request to the origin of the client, with its unprocessed answer. CrmError `usage` for a path to another origin. */
export interface RawApi {
  send(request: RawRequest): Promise<RawOutcome>
  /** The list at a path, read as the connector reads lists. */
  pages(path: string, query: RawListQuery): AsyncIterable<Page>
  /** The headers of a request, with those of the connector. */
  headers(given: readonly string[]): readonly string[]
  /** The URL of a path, below the base URL, with the parameters of the connector. */
  locate(path: string): URL
}
