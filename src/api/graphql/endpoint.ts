import { CrmError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'
import type { Redactor } from '../../core/redact.ts'
import { settingCommand } from '../../core/wire.ts'
import { doubtHint, isGoneStatus, type KeyState } from '../errors/failure.ts'
import type { ApiOptions } from '../options.ts'
import { parseJson, readBodyText, redactTrouble } from '../transport/answer.ts'
import { type Call, cannot } from '../transport/call.ts'
import type { Http, Settled } from '../transport/http.ts'
import { errorsIn } from './answers.ts'
import type { GraphqlAnswer, GraphqlRequest } from './graphql-api.ts'

/** The paths tried below the base URL if no setting names one. */
const USUAL_PATHS = ['/v1/graphql', '/graphql'] as const

/** The value of the setting `wire.graphql_path` for a server without GraphQL. */
const NO_PATH = 'none'

/** A query that every GraphQL server answers. It tests a path before a mutation is sent there. */
const IDENTIFY: GraphqlRequest = {
  query: '{ __typename }',
  variables: {},
  operationName: undefined,
  isRead: true,
  idempotencyKey: undefined,
}

export interface Endpoint {
  /**
   * CrmError `not_supported` if no path answers like GraphQL. Errors in the answer are returned, not thrown. A mutation is
   * sent to a tested path only.
   */
  send(request: GraphqlRequest): Promise<GraphqlAnswer>
  /** The path of the last answer. */
  path(): string | undefined
}

export function openEndpoint(http: Http, { baseUrl, wire }: ApiOptions, rememberedPath: string | undefined): Endpoint {
  let known = wire.graphqlPath ?? rememberedPath
  const prefix = baseUrl.pathname.replace(/\/+$/, '')

  /** Undefined if there is no GraphQL at the path. */
  async function ask(path: string, request: GraphqlRequest): Promise<GraphqlAnswer | undefined> {
    const call = callOf(prefix + path, request)
    const settled = await http.settle(call)
    const answer = readGraphql(settled, http.redactor)
    if (answer) known = path
    else if (!isElsewhere(settled, request)) throw 'error' in settled ? settled.error : noAnswer(call, http.keys)
    return answer
  }

  return {
    path: () => known,
    send: async (request) => {
      const paths = wire.graphqlPath === NO_PATH ? [] : wire.graphqlPath ? [wire.graphqlPath] : pathsFrom(known)
      for (const path of paths) {
        const isFound = request.isRead || path === known || (await ask(path, IDENTIFY)) !== undefined
        const answer = isFound ? await ask(path, request) : undefined
        if (answer) return answer
      }
      throw new CrmError('not_supported', `no GraphQL endpoint found at ${baseUrl.origin}${asked(paths)}`, {
        hint: `if it has one, name its path: ${settingCommand('wire.graphql_path /api/graphql', wire)}`,
      })
    },
  }
}

/** The error of a mutation whose answer is not a GraphQL response. */
function noAnswer(call: Call, keys: KeyState): CrmError {
  const { idempotencyKey } = call
  const message = `${cannot(call)}: the answer is not a GraphQL response; it is unknown whether the server applied it`
  return new CrmError('in_doubt', message, {
    isInDoubt: true,
    hint: doubtHint(call, idempotencyKey, keys),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })
}

/** The cached path first; the endpoint may have moved. */
function pathsFrom(known: string | undefined): readonly string[] {
  return known === undefined ? USUAL_PATHS : [known, ...USUAL_PATHS.filter((path) => path !== known)]
}

function asked(paths: readonly string[]): string {
  return paths.length === 0 ? ': wire.graphql_path is none' : ` (tried ${paths.join(' and ')})`
}

function callOf(address: string, request: GraphqlRequest): Call {
  const { query, variables, operationName, isRead, isRepeatable, isProbe, idempotencyKey, signal, isLetFinish, as } =
    request
  return {
    method: 'POST',
    path: address,
    address,
    body: { query, variables, ...(operationName !== undefined && { operationName }) },
    idempotencyKey,
    ...(isRead && { isRead }),
    ...(isRepeatable && { isRepeatable }),
    ...(isProbe && { isProbe }),
    signal,
    isLetFinish,
    isAnyTypeTaken: true,
    action: as?.action ?? 'ask GraphQL',
    command: as?.command ?? 'crm graphql',
    findCommand: undefined,
  }
}

/** Error statuses that the query can cause; others have their usual meaning. */
const OWN_STATUSES = [400, 406, 409, 412, 415, 422]

/** A GraphQL response; its status may be an error. */
function readGraphql(settled: Settled, redactor: Redactor): GraphqlAnswer | undefined {
  const isSuccess = 'answer' in settled
  const { status = 0, headers = {}, body } = isSuccess ? settled.answer : settled.failure
  if (!body || !(isSuccess || OWN_STATUSES.includes(status))) return undefined
  const text = readBodyText({ body, headers })
  const data = text === undefined ? undefined : parseJson(redactor.data(text))
  const json = data === undefined ? undefined : redactTrouble(data, redactor)
  if (text === undefined || !isJsonObject(json)) return undefined
  const errors = errorsIn(json)
  const { isAfterLostTry } = settled
  return isJsonObject(json.data) || errors ? { text, json, errors: errors ?? [], isAfterLostTry } : undefined
}

/** Failures that apply to every path, also for a probe. */
const SERVER_WIDE: readonly string[] = [
  'unauthorized',
  'forbidden',
  'rate_limited',
  'unreachable',
  'timeout',
  'server_error',
  'interrupted',
]

/** Whether there is no GraphQL at this path; a write may have taken effect unless the status is 404, 410 or 405. */
function isElsewhere(settled: Settled, { isRead, isProbe }: GraphqlRequest): boolean {
  if ('answer' in settled) return isRead
  const { code, details } = settled.error
  if (isGoneStatus(details.status) || details.status === 405) return true
  return isProbe ? !SERVER_WIDE.includes(code) : isRead && code === 'bad_answer'
}
