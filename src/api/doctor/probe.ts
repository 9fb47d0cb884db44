import type { IncomingHttpHeaders } from 'node:http'
import type { CrmError } from '../../core/errors.ts'
import type { ApiOptions } from '../options.ts'
import type { Call } from '../transport/call.ts'
import { createHttp, type Http, type Settled } from '../transport/http.ts'
import { SYSTEM_TIMING } from '../transport/timing.ts'
import { type ProbeTarget, probeLimitMs } from './probe-target.ts'

/** Searches for what else a server may take end here; what is examined in any case goes on. */
const SEARCH_MS = 15_000

/** For the next window of a small limit: an diagnosis takes some twenty requests. Outages are not waited for. */
const LONGEST_WAIT_MS = 5000

/** When an answer came, and by which clock. */
export interface Sample {
  readonly sentAtMs: number
  readonly tookMs: number
  readonly headers: IncomingHttpHeaders
}

export type Question = Pick<Call, 'path' | 'action' | 'command'> & {
  readonly query?: Readonly<Record<string, string>>
  /** In place of both: path and query from the origin on. */
  readonly address?: string
}

/** Asks with GET, each question once, and nothing more of a server that has stopped answering. */
export interface Probe {
  ask(question: Question): Promise<Settled>
  locate(question: Question): URL
  /** For GraphQL, whose reads go by POST. */
  readonly http: Http
  readonly options: ApiOptions
  /** Of every question that was answered. */
  readonly samples: readonly Sample[]
  /** After which nothing was asked. */
  silence(): CrmError | undefined
  hasTimeToSearch(): boolean
}

/** Not heard any more, or not wanted: the questions that were left would end alike. */
const LAST_WORDS: readonly string[] = ['timeout', 'unreachable', 'rate_limited', 'machine']

export function openProbe(target: ProbeTarget, key: string): Probe {
  const options: ApiOptions = {
    ...target,
    key,
    timeoutMs: probeLimitMs(target),
    maxWaitMs: Math.min(target.maxWaitMs, LONGEST_WAIT_MS),
    onWait: undefined,
  }
  const http = createHttp(options, SYSTEM_TIMING)
  const samples: Sample[] = []
  const startedMs = performance.now()
  let last: Extract<Settled, { error: CrmError }> | undefined

  async function ask(question: Question): Promise<Settled> {
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
    if (LAST_WORDS.includes(error.code)) last = settled
    return settled
  }

  return {
    ask,
    locate: (question) => http.locate(callOf(question)),
    http,
    options,
    samples,
    silence: () => last?.error,
    hasTimeToSearch: () => !last && performance.now() - startedMs < SEARCH_MS,
  }
}

function callOf(question: Question): Call {
  return { ...question, method: 'GET', findCommand: undefined, isProbe: true }
}
