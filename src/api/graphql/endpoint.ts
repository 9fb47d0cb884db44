import { CrmError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'
import type { ApiOptions } from '../api.ts'
import { readBodyText } from '../body-text.ts'
import type { Call } from '../call.ts'
import type { GraphqlAnswer, GraphqlRequest } from '../graphql-api.ts'
import type { Http, Settled } from '../http.ts'
import { parseJson } from '../parse-answer.ts'
import { errorsIn } from './graphql-error.ts'

/** Where GraphQL is looked for, behind the prefix of the server's address, when no setting names its path. */
const USUAL_PATHS = ['/v1/graphql', '/graphql'] as const

/** The value of the setting `wire.graphql_path` for a server that has none. */
const NO_PATH = 'none'

export interface Endpoint {
  /** CrmError `not_supported` when no path answers as GraphQL does; errors of the answer are in it, and not thrown. */
  send(request: GraphqlRequest): Promise<GraphqlAnswer>
  /** Where the last answer came from. */
  path(): string | undefined
}

export function openEndpoint(http: Http, { baseUrl, wire }: ApiOptions, rememberedPath: string | undefined): Endpoint {
  let known = wire.graphqlPath ?? rememberedPath
  const prefix = baseUrl.pathname.replace(/\/+$/, '')

  async function ask(path: string, request: GraphqlRequest): Promise<GraphqlAnswer | undefined> {
    const settled = await http.settle(callOf(prefix + path, request))
    const answer = readGraphql(settled)
    if (answer) known = path
    else if ('error' in settled && !isElsewhere(settled.error)) throw settled.error
    return answer
  }

  return {
    path: () => known,
    send: async (request) => {
      const paths = wire.graphqlPath === NO_PATH ? [] : wire.graphqlPath ? [wire.graphqlPath] : pathsFrom(known)
      for (const path of paths) {
        const answer = await ask(path, request)
        if (answer) return answer
      }
      throw new CrmError('not_supported', `${baseUrl.origin} offers no GraphQL that crm finds${asked(paths)}`, {
        hint: 'if it has one, name its path: crm config set wire.graphql_path /api/graphql',
      })
    },
  }
}

/** What was remembered comes first, and may have moved since. */
function pathsFrom(known: string | undefined): readonly string[] {
  return known === undefined ? USUAL_PATHS : [known, ...USUAL_PATHS.filter((path) => path !== known)]
}

function asked(paths: readonly string[]): string {
  return paths.length === 0 ? ': wire.graphql_path is none' : ` (asked ${paths.join(' and ')})`
}

function callOf(address: string, request: GraphqlRequest): Call {
  const { query, variables, operationName, isRead, isProbe, idempotencyKey } = request
  return {
    method: 'POST',
    path: address,
    address,
    body: { query, variables, ...(operationName !== undefined && { operationName }) },
    idempotencyKey,
    ...(isRead && { isRead }),
    ...(isProbe && { isProbe }),
    isAnyTypeTaken: true,
    action: 'ask GraphQL',
    command: 'crm graphql',
    findCommand: undefined,
  }
}

/** Of error statuses those that the query can be to blame for; the others mean what they mean everywhere. */
const OWN_STATUSES = [400, 406, 409, 412, 415, 422]

/** Answers of GraphQL, also where the status is that of an error. */
function readGraphql(settled: Settled): GraphqlAnswer | undefined {
  const isSuccess = 'answer' in settled
  const { status = 0, headers = {}, body } = isSuccess ? settled.answer : settled.failure
  if (!body || !(isSuccess || OWN_STATUSES.includes(status))) return undefined
  const text = readBodyText({ body, headers })
  const json = text === undefined ? undefined : parseJson(text)
  if (text === undefined || !isJsonObject(json)) return undefined
  const errors = errorsIn(json)
  return isJsonObject(json.data) || errors ? { text, json, errors: errors ?? [] } : undefined
}

/** What holds for every path; of anything else it can be said that there is no GraphQL at this one. */
const EVERYWHERE: readonly string[] = [
  'unauthorized',
  'forbidden',
  'rate_limited',
  'unreachable',
  'timeout',
  'server_error',
  'interrupted',
]

function isElsewhere({ code }: CrmError): boolean {
  return !EVERYWHERE.includes(code)
}
