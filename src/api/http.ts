import { Buffer } from 'node:buffer'
import type { Answer } from './answer.ts'
import type { ApiOptions } from './api.ts'
import { attempt, interruption, isFailure } from './attempt.ts'
import type { Call } from './call.ts'
import { openConnections } from './connections.ts'
import type { Outgoing } from './exchange.ts'
import { callError } from './failed-call.ts'
import type { Failure } from './failure.ts'
import { baseHeaders, idempotencyKeyOf, ifMatchHeader } from './headers.ts'
import { pathWithQuery } from './path.ts'
import { newRetryState, type RetryState, takeWaitMs } from './retry.ts'
import type { Timing } from './timing.ts'

/** Waits that a person would notice. */
const NOTICEABLE_WAIT_MS = 1000

export interface Http {
  /** Tries until there is an answer or no hope of one; then throws a CrmError that names what was asked. */
  request(call: Call): Promise<Answer>
  close(): Promise<void>
}

export function createHttp(options: ApiOptions, timing: Timing): Http {
  const fixedHeaders = baseHeaders(options)
  const connections = openConnections(options.baseUrl.origin, options.timeoutMs)
  const waitSignal = AbortSignal.any([options.signal, connections.closing])

  async function request(call: Call): Promise<Answer> {
    const idempotencyKey = idempotencyKeyOf(call)
    const outgoing = prepare(call, idempotencyKey, options, fixedHeaders)
    const state = newRetryState()
    let isInDoubt = false
    while (true) {
      state.tries += 1
      const outcome = await attempt(connections.pool, { call, outgoing, number: state.tries }, options)
      if (!isFailure(outcome)) return outcome
      if (isInDoubt && isGone(call, outcome)) return DELETED
      isInDoubt ||= outcome.isInDoubt
      const end = await waitAfter(call, outcome, state)
      if (end) throw callError(call, end, { tries: state.tries, isInDoubt, idempotencyKey })
    }
  }

  /** Resolves when it is time to try again, or with the failure to give up with. */
  async function waitAfter(call: Call, failure: Failure, state: RetryState): Promise<Failure | undefined> {
    if (isSilence(failure)) state.waitedMs += options.timeoutMs
    const waitMs = takeWaitMs(failure, state, { maxWaitMs: options.maxWaitMs, random: timing.random })
    if (waitMs === undefined) return failure
    options.debug?.(`wait ${waitMs} ms: ${failure.reason}`)
    if (waitMs >= NOTICEABLE_WAIT_MS) options.onWait?.(waitMs, failure.reason)
    await timing.sleep(waitMs, waitSignal)
    return waitSignal.aborted ? interruption(call, waitSignal.reason, false) : undefined
  }

  return { request, close: connections.close }
}

const DELETED: Answer = { status: 204, headers: {}, json: undefined }

/** Behind a try whose answer was lost, this is what that try did. */
function isGone(call: Call, failure: Failure): boolean {
  return call.method === 'DELETE' && failure.status === 404
}

/** Time spent on a server that says nothing is time spent waiting for an outage. */
function isSilence(failure: Failure): boolean {
  return failure.code === 'timeout' && failure.status === undefined
}

function prepare(
  call: Call,
  idempotencyKey: string | undefined,
  options: ApiOptions,
  fixedHeaders: readonly string[],
): Outgoing {
  const headers = [...fixedHeaders]
  const body = call.body === undefined ? null : Buffer.from(JSON.stringify(call.body))
  if (body) headers.push('Content-Type', 'application/json')
  if (idempotencyKey !== undefined) headers.push(options.wire.idempotencyHeader, idempotencyKey)
  if (call.ifMatch !== undefined) headers.push('If-Match', ifMatchHeader(call.ifMatch))
  const prefix = options.baseUrl.pathname.replace(/\/+$/, '')
  return { method: call.method, path: prefix + pathWithQuery(call.path, call.query), headers, body }
}
