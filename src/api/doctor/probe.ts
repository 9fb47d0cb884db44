import type { IncomingHttpHeaders } from 'node:http'
import type { CrmError } from '../../core/errors.ts'
import type { ApiOptions } from '../options.ts'
import type { Call } from '../transport/call.ts'
import { createHttp, type Http, type Settled } from '../transport/http.ts'
import { SYSTEM_TIMING } from '../transport/timing.ts'

/** Each of many requests waits less than a single one would. */
const MAX_PROBE_MS = 10_000

/** Enough for the next window of a small rate limit: a diagnosis sends six requests. It does not wait out outages. */
const MAX_WAIT_MS = 5000

/** The timing and headers of an answer. */
export interface ProbeAnswer {
  readonly sentAtMs: number
  readonly tookMs: number
  readonly headers: IncomingHttpHeaders
}

export type ProbeRequest = Pick<Call, 'path' | 'action' | 'command'> & Partial<Call>

/** Sends GET requests, each once, and none after the server has stopped answering. */
export interface Probe {
  ask(question: ProbeRequest): Promise<Settled>
  readonly http: Http
  readonly options: ApiOptions
  /** One for each answer. */
  readonly samples: readonly ProbeAnswer[]
  /** The failure after which no request was sent. */
  outage(): CrmError | undefined
}

/** The server does not answer, or refuses more requests: further ones would fail, too. */
const FINAL_CODES: readonly string[] = ['timeout', 'unreachable', 'rate_limited', 'machine']

export function openProbe(target: ProbeTarget, key: string): Probe {
  const options: ApiOptions = {
    ...target,
    key,
    timeoutMs: probeLimitMs(target),
    maxWaitMs: Math.min(target.maxWaitMs, MAX_WAIT_MS),
    onWait: undefined,
  }
  const http = createHttp(options, SYSTEM_TIMING)
  const samples: ProbeAnswer[] = []
  let last: Extract<Settled, { error: CrmError }> | undefined

  async function ask(question: ProbeRequest): Promise<Settled> {
    if (last) return last
    const sentAtMs = target.now()
    const begun = performance.now()
    const settled = await http.settle(callOf(question))
    const tookMs = performance.now() - begun
    if ('answer' in settled) {
      samples.push({ sentAtMs, tookMs, headers: settled.answer.headers })
      return settled
    }
    const { error, failure } = settled
    if (error.code === 'interrupted') throw error
    if (failure.headers) samples.push({ sentAtMs, tookMs, headers: failure.headers })
    if (FINAL_CODES.includes(error.code)) last = settled
    return settled
  }

  return {
    ask,
    http,
    options,
    samples,
    outage: () => last?.error,
  }
}

function callOf(question: ProbeRequest): Call {
  return { method: 'GET', ...question, findCommand: undefined, isProbe: true }
}

/** A server, and the options for its requests. */
export type ProbeTarget = Pick<
  ApiOptions,
  | 'baseUrl'
  | 'terms'
  | 'connector'
  | 'serveDatabase'
  | 'timeoutMs'
  | 'maxWaitMs'
  | 'userAgent'
  | 'signal'
  | 'now'
  | 'debug'
  | 'env'
> & {
  /** Without a key, only checks that need none are run. */
  readonly key: string | undefined
}

export function probeLimitMs({ timeoutMs }: Pick<ProbeTarget, 'timeoutMs'>): number {
  return Math.min(timeoutMs, MAX_PROBE_MS)
}
