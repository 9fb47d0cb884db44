import type { Api } from '../api/api.ts'
import { createApi } from '../api/client.ts'
import { type CheckedOptions, checkedOptions, refuseInsecure } from './client-options.ts'
import type { Client, ClientOptions, JobMethods, RowFailure } from './client-types.ts'
import { graphqlMethod } from './graphql.ts'
import { importLibraryRows, type JobParts, openLibraryJobs, resumeJob } from './import-rows.ts'
import { requestMethod } from './request.ts'
import { resourceMethods } from './resource-methods.ts'
import { guardedItems } from './safe-errors.ts'

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
  if (word === undefined && baseUrl) return { api: createApi({ ...options, baseUrl }), baseUrl }
  const { connectorAddress, connectorDocument, connectorPath, openConnector, withBase } = await import(
    '../api/connectors/open-connector.ts'
  )
  const named = { name: connectorPath(word ?? '', undefined), variables }
  const url = baseUrl ? withBase(baseUrl, connectorDocument(named.name)) : connectorAddress(named)
  refuseInsecure(url, allowInsecureHttp)
  const connector = await openConnector(named, { baseUrl: url, wire: options.wire })
  return { api: createApi({ ...options, baseUrl: url, connector }), baseUrl: url }
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
  for await (const { items } of jobs.failures(jobs.find(job))) {
    for (const { line, id, state, code, field, reason } of items) {
      yield { line, id, state, code, field, reason } as RowFailure
    }
  }
}
