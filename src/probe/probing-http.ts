import { createConnector } from '../api/connectors/connector.ts'
import type { ApiOptions } from '../api/options.ts'
import { serverTerms } from '../api/server-terms.ts'
import type { Answer } from '../api/transport/answer.ts'
import type { Call } from '../api/transport/call.ts'
import { createHttp, type Http } from '../api/transport/http.ts'
import type { HostTiming, Timing } from '../api/transport/timing.ts'
import { loadConnector } from '../connector/load-connector.ts'
import type { CrmError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'

/** What a probe needs of its command: where the server is, the key and how it is sent, and how long to wait. */
export interface ProbeServer extends Pick<ApiOptions, 'baseUrl' | 'key' | 'timeoutMs' | 'maxWaitMs' | 'userAgent'> {
  readonly auth: JsonObject
  readonly signal: AbortSignal
  readonly now: () => number
  readonly debug: ApiOptions['debug']
  readonly env: ApiOptions['env']
  readonly timing: Timing | HostTiming
}

/** One page with the request that showed it. */
export interface SeenPage {
  readonly url: URL
  readonly answer: Answer
  readonly items: readonly JsonObject[]
}

export type QueryParameters = Readonly<Record<string, string>>

/** Where a page is asked for. */
export type PageAddress = { readonly address: string } | { readonly query: QueryParameters }

export interface ProbingHttp extends Http {
  /** The answer to a GET; the error of a refusal. An interruption is thrown. */
  look(path: string, next?: PageAddress): Promise<Answer | CrmError>
  close(): Promise<void>
}

export function optionsOf({ timing: _, auth: __, ...server }: ProbeServer): Omit<ApiOptions, 'connector'> {
  return { ...server, terms: serverTerms({ idempotency: 'none' }), onWait: undefined }
}

/** Sends GET alone, once each. */
export function openProbing(server: ProbeServer): ProbingHttp {
  const http = createHttp({ ...optionsOf(server), connector: bareConnector(server) }, server.timing)
  const settle: Http['settle'] = (call) => {
    if (call.method !== 'GET') throw new Error(`the probe sends ${call.method}`)
    return http.settle({ ...call, isProbe: true })
  }
  return {
    ...http,
    settle,
    request: async (call) => {
      const settled = await settle(call)
      if ('error' in settled) throw settled.error
      return settled.answer
    },
    look: async (path, next) => {
      const settled = await settle({ ...callOf(path), method: 'GET', ...next })
      if ('answer' in settled) return settled.answer
      if (settled.error.code === 'interrupted') throw settled.error
      return settled.error
    },
  }
}

export function callOf(path: string): Pick<Call, 'path' | 'action' | 'command' | 'findCommand'> {
  return { path, action: `read ${path}`, command: 'crm connectors create --probe URL', findCommand: undefined }
}

/** It sends the key, and describes nothing else. */
function bareConnector({ auth, baseUrl }: ProbeServer) {
  const text = JSON.stringify({ connector: 2, name: 'probe', auth, objects: {} })
  return createConnector(loadConnector(text, { fileName: 'probe', baseOf: () => undefined }), {
    baseUrl,
    variables: {},
  })
}
