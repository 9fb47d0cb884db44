import type { Api } from '../api/api.ts'
import { createApi } from '../api/client.ts'
import { type CheckedOptions, type ClientOptions, checkedOptions, refuseInsecure } from './client-options.ts'
import { type Graphql, graphqlMethod } from './graphql.ts'
import { type JobMethods, jobMethods } from './job-methods.ts'
import { type Request, requestMethod } from './request.ts'
import { resourceMethods } from './resource-methods.ts'
import type { Resources } from './resources.ts'

declare const CRM_VERSION: string

/** Every method throws a CrmError for what a server or a network does wrong; its `code` says which. */
export interface Client extends Resources, AsyncDisposable {
  readonly graphql: Graphql
  readonly request: Request
  readonly jobs: JobMethods
  /** Ends idle connections, so that the process can end. */
  close(): Promise<void>
}

export function createClient(options: ClientOptions): Client {
  const checked = checkedOptions(options)
  let opening: Promise<Opened> | undefined
  const opened = () => {
    opening ??= openApi(checked)
    return opening
  }
  const open = async () => (await opened()).api
  const close = async () => {
    await (await opening)?.api.close()
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
  const { connectorAddress, connectorPath, openConnector } = await import('../api/connectors/open-connector.ts')
  const named = { name: connectorPath(word ?? '', undefined), variables }
  const url = baseUrl ?? connectorAddress(named)
  refuseInsecure(url, allowInsecureHttp)
  const connector = await openConnector(named, { baseUrl: url, wire: options.wire })
  return { api: createApi({ ...options, baseUrl: url, connector }), baseUrl: url }
}
