import type { Api } from '../api/api.ts'
import { createApi } from '../api/client.ts'
import { graphqlError } from '../api/graphql.ts'
import { serverTerms } from '../api/server-terms.ts'
import { DEFAULT_CONNECTOR } from '../core/default-connector.ts'
import { CrmError } from '../core/errors.ts'
import { type GraphqlOperation, readOperations } from '../core/graphql-operations.ts'
import { isJsonObject } from '../core/json.ts'
import { timeOrderedUuid } from '../core/time-ordered-uuid.ts'
import { checkNames } from './call-checks.ts'
import { type CheckedOptions, checkedOptions, refuseInsecure } from './client-options.ts'
import type { Client, ClientOptions, Graphql, GraphqlCall, JobMethods, RowFailure } from './client-types.ts'
import { importLibraryRows, type JobParts, openLibraryJobs, resumeJob } from './import-rows.ts'
import { requestMethod } from './request.ts'
import { resourceMethods } from './resource-methods.ts'
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
  const close = async () => {
    // What never opened has failed its calls, and has nothing to close.
    await opening?.then(
      ({ api }) => api.close(),
      () => {},
    )
  }
  const { env, signal } = checked
  return {
    ...resourceMethods(open),
    graphql: graphqlMethod(open),
    request: requestMethod(open),
    jobs: jobMethods({
      ...{ open, env, signal, version: CRM_VERSION },
      server: async () => ({ ...checked, baseUrl: (await opened()).baseUrl }),
    }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface Opened {
  readonly api: Api
  readonly baseUrl: URL
}

async function openApi({ connector: word, variables, allowInsecureHttp, ...options }: CheckedOptions): Promise<Opened> {
  const { baseUrl } = options
  const { connectorAddress, connectorDocument, connectorPath, openConnector, withBase } = await import(
    '../api/connectors/open-connector.ts'
  )
  const named = { name: word === undefined ? DEFAULT_CONNECTOR : connectorPath(word, undefined), variables }
  const url = baseUrl ? withBase(baseUrl, await connectorDocument(named)) : await connectorAddress(named)
  refuseInsecure(url, allowInsecureHttp)
  const { pageSize } = options
  const connector = await openConnector(named, { baseUrl: url, pageSize })
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
