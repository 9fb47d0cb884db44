import { Buffer } from 'node:buffer'
import type { AccessTokens } from '../api/access-tokens.ts'
import type { Api } from '../api/api.ts'
import { createApi } from '../api/client.ts'
import { graphqlError } from '../api/graphql.ts'
import type { ApiOptions } from '../api/options.ts'
import type { RawApi } from '../api/raw.ts'
import { serverTerms } from '../api/server-terms.ts'
import type { Method } from '../api/transport/call.ts'
import { DEFAULT_CONNECTOR } from '../core/default-connector.ts'
import { CrmError } from '../core/errors.ts'
import { type GraphqlOperation, readOperations } from '../core/graphql-operations.ts'
import { isHeaderName, isHeaderValue, isLoopback, isTransportHeader, parseBaseUrl } from '../core/http-rules.ts'
import { isJsonObject, jsonIn } from '../core/json.ts'
import { nearest } from '../core/nearest.ts'
import type { DescribedObjects } from '../core/resources/own-objects.ts'
import { timeOrderedUuid } from '../core/time-ordered-uuid.ts'
import { checkKey } from '../settings/profile.ts'
import { parsePageSize } from '../settings/setting-values.ts'
import { checkNames } from './call-checks.ts'
import type {
  Client,
  ClientOptions,
  Graphql,
  GraphqlCall,
  JobMethods,
  Request,
  RequestCall,
  RowFailure,
} from './client-types.ts'
import { importLibraryRows, type JobParts, openLibraryJobs, resumeJob } from './import-rows.ts'
import { ownObjects } from './own-objects.ts'
import { recordsMethod, resourceMethods } from './resource-methods.ts'
import { guarded, guardedItems } from './safe-errors.ts'

declare const CRM_VERSION: string

export function createClient(options: ClientOptions): Client {
  const checked = checkedOptions(options)
  let opening: Promise<Opened> | undefined
  const opened = () => {
    opening ??= openApi(checked)
    return opening
  }
  const open = async () => (await opened()).api
  const own = ownObjects(open, async (objects) => (await openApi(checked, objects)).api)
  const close = async () => {
    await own.close()
    // What never opened has failed its calls, and has nothing to close.
    await opening?.then(
      ({ api }) => api.close(),
      () => {},
    )
  }
  const { env, signal } = checked
  return {
    ...resourceMethods(open),
    records: recordsMethod(open, own.openFor),
    graphql: graphqlMethod(open),
    request: requestMethod(open),
    jobs: jobMethods({
      ...{ open, env, signal, version: CRM_VERSION },
      server: async () => {
        const { baseUrl } = await opened()
        return { ...checked, baseUrl, key: (await checked.tokens?.current()) ?? checked.key }
      },
    }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface Opened {
  readonly api: Api
  readonly baseUrl: URL
}

async function openApi(
  { connector: word, variables, allowInsecureHttp, ...options }: CheckedOptions,
  objects?: DescribedObjects,
): Promise<Opened> {
  const { baseUrl } = options
  const { connectorAddress, connectorDocument, connectorPath, openConnector, withBase } = await import(
    '../api/connectors/open-connector.ts'
  )
  const named = { name: word === undefined ? DEFAULT_CONNECTOR : connectorPath(word, undefined), variables }
  const url = baseUrl ? withBase(baseUrl, await connectorDocument(named)) : await connectorAddress(named)
  refuseInsecure(url, allowInsecureHttp)
  const { pageSize } = options
  const connector = await openConnector(named, { baseUrl: url, pageSize, objects })
  if (options.tokens && connector.document.auth.in === 'query') {
    const what = `the connector ${connector.word} sends the key as a parameter, and takes no accessToken`
    throw new CrmError('invalid_input', what, { hint: 'give apiKey' })
  }
  const terms = serverTerms(connector.document)
  return { api: createApi({ ...options, baseUrl: url, connector, terms }), baseUrl: url }
}

function jobMethods(parts: JobParts): JobMethods {
  return {
    importRows: (...given) => importLibraryRows(parts, ...given),
    resume: (...given) => resumeJob(parts, ...given),
    failures: (job) => guardedItems(() => failuresOf(parts, job)),
  }
}

async function* failuresOf(parts: JobParts, job: string): AsyncGenerator<RowFailure> {
  const jobs = await openLibraryJobs(parts)
  for await (const { items } of jobs.of(jobs.find(job)).failures()) {
    for (const { line, id, state, code, field, reason } of items) {
      yield { line, id, state, code, field, reason } as RowFailure
    }
  }
}

function graphqlMethod(open: () => Promise<Api>): Graphql {
  return <Data>(query: string, options: GraphqlCall = {}) =>
    guarded(async () => {
      checkNames('graphql', options, ['variables', 'operationName', 'idempotencyKey', 'signal'])
      const { variables = {}, operationName, idempotencyKey, signal } = options
      const { type, name } = operationOf(query, operationName)
      const isRead = type === 'query'
      const { json, errors } = await (await open()).graphql({
        ...{ query, variables, isRead, signal },
        operationName: name,
        idempotencyKey: isRead ? undefined : (idempotencyKey ?? timeOrderedUuid()),
      })
      const { data } = json
      if (errors.length > 0)
        throw graphqlError({ errors, action: `send the ${type}`, hint: 'correct it, and send it again' })
      if (isJsonObject(data)) return data as Data
      throw new CrmError('bad_answer', 'the answer of GraphQL has neither data nor errors', {
        hint: 'check the address',
      })
    })
}

function operationOf(query: string, name: string | undefined): GraphqlOperation {
  const all = typeof query === 'string' ? readOperations(query) : []
  const [only, ...others] = name === undefined ? all : all.filter((operation) => operation.name === name)
  if (only && others.length === 0 && only.type !== 'subscription') return only
  const known = all.map((operation) => operation.name ?? 'one without a name').join(', ')
  throw new CrmError(
    'invalid_input',
    `the document has no single query or mutation to send: ${known || 'it is empty'}`,
    {
      hint: "expected such as '{ __typename }'; operationName selects one of several",
    },
  )
}

const CLIENT_OPTIONS = Object.keys({
  baseUrl: true,
  apiKey: true,
  accessToken: true,
  connector: true,
  connectorVariables: true,
  timeoutMs: true,
  maxWaitMs: true,
  signal: true,
  pageSize: true,
  allowInsecureHttp: true,
  onWait: true,
  env: true,
} satisfies Record<keyof ClientOptions, true>)

type CheckedOptions = Omit<ApiOptions, 'baseUrl' | 'connector' | 'terms'> &
  Pick<ClientOptions, 'allowInsecureHttp' | 'connector' | 'pageSize'> & {
    /** Undefined: the connector states it. */
    readonly baseUrl: URL | undefined
    readonly variables: Readonly<Record<string, string>>
  }

/** CrmError `invalid_input` for options that would have no effect, or another one than meant. */
function checkedOptions(options: ClientOptions): CheckedOptions {
  checkOptionNames(options)
  const { connector, connectorVariables = {}, allowInsecureHttp, env } = options
  const isStated = options.baseUrl === undefined && connector !== undefined
  const baseUrl = isStated ? undefined : parseBaseUrl(options.baseUrl ?? '', 'baseUrl')
  if (baseUrl) refuseInsecure(baseUrl, allowInsecureHttp)
  return {
    ...{ baseUrl, connector, allowInsecureHttp, env, variables: connectorVariables },
    ...keyOf(options),
    pageSize: checkedPageSize(options.pageSize),
    timeoutMs: checkedMs('timeoutMs', options.timeoutMs ?? 30_000, 1),
    maxWaitMs: checkedMs('maxWaitMs', options.maxWaitMs ?? 60_000, 0),
    userAgent: `crm-cli/${CRM_VERSION} (library)`,
    signal: options.signal ?? new AbortController().signal,
    now: Date.now,
    debug: undefined,
    onWait: options.onWait,
  }
}

/** With tokens, the key is sent nowhere. */
function keyOf({ apiKey, accessToken }: ClientOptions): Pick<ApiOptions, 'key' | 'tokens'> {
  if (accessToken === undefined) return { key: checkKey(apiKey ?? '', 'apiKey') }
  if (typeof accessToken !== 'function' || apiKey !== undefined) {
    throw new CrmError('invalid_input', 'accessToken is no function, or stands beside apiKey', {
      hint: 'expected one of them: accessToken: async (refused) => token',
    })
  }
  const secrets = new Set<string>()
  const ask = async (refused?: string) => {
    const token = checkKey(await accessToken(refused), 'accessToken')
    secrets.add(token)
    return token
  }
  const after: AccessTokens['after'] = async (refused) => {
    const next = await ask(refused)
    return next === refused ? undefined : next
  }
  return { key: 'accessToken', tokens: { secrets, current: () => ask(), after } }
}

function refuseInsecure(url: URL, isAllowed: boolean | undefined): void {
  if (url.protocol === 'https:' || isLoopback(url.hostname) || isAllowed) return
  throw new CrmError('usage', `${url.origin} is plain http, where anyone on the way can read the key`, {
    hint: 'use https, or allowInsecureHttp if that network is yours',
  })
}

/** Any sandbox is accepted, unless the name is that of another option. */
function checkOptionNames(options: ClientOptions): void {
  const given = isJsonObject(options) ? Object.keys(options) : []
  const slip = given.find((name) => isSlip(name))
  if (slip === undefined && isJsonObject(options)) return
  const fault = slip === undefined ? 'takes an object of options' : `takes no ${JSON.stringify(slip)}`
  throw new CrmError('invalid_input', `createClient ${fault}`, { hint: `expected ${CLIENT_OPTIONS.join(', ')}` })
}

/** `wire` was an option of earlier versions: what it said would no longer hold. */
function isSlip(name: string): boolean {
  return name === 'wire' || (!CLIENT_OPTIONS.includes(name) && nearest(name, CLIENT_OPTIONS) !== undefined)
}

function checkedPageSize(size: number | undefined): number | undefined {
  return size === undefined ? undefined : parsePageSize(String(size), 'pageSize')
}

/** A value that is not a time would end every call at once, or none. */
function checkedMs(name: string, value: number, leastMs: number): number {
  if (typeof value === 'number' && value >= leastMs) return value
  throw new CrmError('invalid_input', `${name} is ${String(value)}, which is no number of milliseconds`, {
    hint: `expected ${leastMs} or more`,
  })
}

const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

function requestMethod(open: () => Promise<Api>): Request {
  return (method, path, options) =>
    guarded(async () => {
      const { reply, error } = await (await open()).raw.send(checkedRequest(method, path, options))
      if (error) throw error
      if (!reply) throw new CrmError('bad_answer', `${method} ${path} has no answer`, { hint: 'send it again' })
      const text = Buffer.from(reply.body).toString('utf8')
      return { status: reply.status, headers: reply.headers, json: jsonIn(text), text }
    })
}

function checkedRequest(method: Method, path: string, options: RequestCall = {}): Parameters<RawApi['send']>[0] {
  checkNames('request', options, ['query', 'body', 'headers', 'idempotencyKey', 'signal'])
  if (!METHODS.includes(method)) {
    const hint = `expected ${METHODS.join(', ')}`
    throw new CrmError('invalid_input', `${JSON.stringify(method)} is no method`, { hint })
  }
  const { query, body, headers = {}, idempotencyKey, signal } = options
  const isKeyed = method === 'POST' || method === 'PATCH'
  return {
    ...{ method, signal },
    path: query === undefined ? path : withQuery(path, query),
    headers: headerList(headers, body !== undefined),
    bytes: bytesOf(body),
    idempotencyKey: idempotencyKey ?? (isKeyed ? timeOrderedUuid() : undefined),
  }
}

function withQuery(path: string, query: NonNullable<RequestCall['query']>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) parameters.append(name, String(value))
  return `${path}${path.includes('?') ? '&' : '?'}${parameters}`
}

function bytesOf(body: RequestCall['body']): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body
  return Buffer.from(JSON.stringify(body))
}

function headerList(headers: Readonly<Record<string, string>>, hasBody: boolean): readonly string[] {
  const given = Object.entries(headers)
  const wrong = given.find(([name, value]) => !isHeaderName(name) || !isHeaderValue(value) || isOwn(name))
  if (wrong) {
    throw new CrmError('invalid_input', `the header ${JSON.stringify(wrong[0])} cannot be set`, {
      hint: 'the client sets authorization and the headers of the connection itself',
    })
  }
  const hasType = given.some(([name]) => name.toLowerCase() === 'content-type')
  return [...given, ...(hasBody && !hasType ? [['content-type', 'application/json']] : [])].flat()
}

function isOwn(name: string): boolean {
  return isTransportHeader(name) || name.toLowerCase() === 'authorization'
}
