import { Buffer } from 'node:buffer'
import type { CrmError } from '../../core/errors.ts'
import type { Redactor } from '../../core/redact.ts'
import {
  callError,
  type Failure,
  isConflictStatus,
  isFailure,
  isGoneStatus,
  type KeyState,
  onceError,
} from '../errors/failure.ts'
import { newRetryState, RequestQueue, type RetryState, takeWaitMs } from '../limits/waits.ts'
import type { StatedRate } from '../operations.ts'
import type { ApiOptions } from '../options.ts'
import { KeyKeeping, reportReplay } from '../writes/key-keeping.ts'
import type { Answer } from './answer.ts'
import { attempt, holdFor, interruption, type Try } from './attempt.ts'
import { addressOfCall, type Call, makesAnother, withCredentials } from './call.ts'
import { openConnections } from './connections.ts'
import type { Outgoing } from './exchange.ts'
import {
  baseHeaders,
  createRetirementWatch,
  idempotencyKeyOf,
  ifMatchHeader,
  replaceHeaders,
  requestText,
} from './headers.ts'
import { ClockOffset, NOTICEABLE_WAIT_MS, type Timing } from './timing.ts'
import { redactorOf, withTokens } from './tokens.ts'
import { TrailingSlashes } from './trailing-slashes.ts'

export interface Http {
  /** Retries until there is an answer, or a retry cannot help; then throws a CrmError that names the request. */
  request(call: Call): Promise<Answer>
  /** The same, for a caller that needs the failed answer as well as the error. */
  settle(call: Call): Promise<Settled>
  /** The address that a call goes to. */
  locate(call: Call): URL
  /** For text from answers of any type, whose bytes are not redacted. */
  readonly redactor: Redactor
  /** The only origin that the key is sent to. */
  readonly origin: string
  /** The limit stated in the last answer; undefined if it states none, and before the first request. */
  rate(): StatedRate | undefined
  /** Returns a function that gives this moment by the server's clock, with the offset known when it is called. */
  mark(): () => number
  readonly keys: KeyState
  /** Ends early if the client ends or the signal aborts. */
  pause(ms: number, signal: AbortSignal | undefined): Promise<void>
  close(): Promise<void>
}

export type Settled = { readonly answer: Answer } | { readonly error: CrmError; readonly failure: Failure }

export function createHttp(options: ApiOptions, timing: Timing): Http {
  const fixedHeaders = baseHeaders(options)
  const redactor = redactorOf(options)
  const connections = withTokens(openConnections(options), options)
  const slashes = new TrailingSlashes(options.baseUrl)
  const waitSignal = AbortSignal.any([options.signal, connections.closing])
  const queue = new RequestQueue(options, timing.sleep)
  const watchRetirement = createRetirementWatch(options, redactor)
  const keys = new KeyKeeping(options)
  const clock = new ClockOffset()

  async function settle(call: Call): Promise<Settled> {
    const signal = signalOfTries(call, options)
    const waiting = endedBy(waitSignal, call.signal)
    const idempotencyKey = idempotencyKeyOf(call)
    const outgoing = prepare(call, idempotencyKey, options, fixedHeaders)
    const state = newRetryState()
    let isInDoubt = false
    let hasWaitedForLimit = false
    while (true) {
      state.tries += 1
      if (hasWaitedForLimit) queue.enterAtOnce()
      else await queue.enter(state, waiting, call.rateShare)
      const outcome = behindDoubt(call, await tryOnce({ call, outgoing, number: state.tries, signal }), isInDoubt)
      await watchRetirement(call, outcome.headers)
      clock.learn(outcome.headers, options.now())
      keys.learn(outcome)
      if (!isInDoubt) reportReplay(options, call, outcome)
      if (!isFailure(outcome)) return { answer: outcome }
      hasWaitedForLimit = outcome.code === 'rate_limited'
      if (isInDoubt && isGone(call, outcome)) return { answer: DELETED }
      isInDoubt ||= outcome.isInDoubt
      const end = await endOf({ call, outcome, signal, state, isInDoubt, idempotencyKey })
      if (end) return end
    }
  }

  /** The result of a call after a failed try; undefined for another try. */
  async function endOf(failed: Failed): Promise<Settled | undefined> {
    const { call, outcome, state } = failed
    if (!(await mayRepeat(keys, failed, settle))) {
      return { error: onceError(call, outcome, { tries: state.tries, keys }), failure: outcome }
    }
    const failure = await waitAfter({ options, timing }, { ...failed, signal: endedBy(waitSignal, call.signal) })
    if (!failure) return undefined
    const idempotencyKey = isKeyOfUse(call, failure) ? failed.idempotencyKey : undefined
    const outcomeOfAll = { ...failed, tries: state.tries, idempotencyKey, keys }
    return { error: callError(call, failure, outcomeOfAll), failure }
  }

  async function tryOnce(one: Try): Promise<Answer | Failure> {
    let outcome: Answer | Failure | undefined
    try {
      const send = () => attempt(connections, one, { ...options, redactor, slashes })
      outcome = await holdFor(one, options, { send, sleep: timing.sleep })
      return outcome
    } finally {
      queue.leave(outcome)
    }
  }

  return {
    request: async (call) => answerOf(await settle(call)),
    settle,
    locate: (call) => new URL(addressOfCall(options.baseUrl, call), options.baseUrl.origin),
    redactor,
    origin: options.baseUrl.origin,
    rate: () => queue.rate,
    keys,
    mark: () => clock.mark(options.now()),
    pause: (ms, signal) => timing.sleep(ms, endedBy(waitSignal, signal)),
    close: connections.close,
  }
}

function answerOf(settled: Settled): Answer {
  if ('error' in settled) throw settled.error
  return settled.answer
}

function signalOfTries(call: Call, options: ApiOptions): AbortSignal {
  return endedBy(call.isLetFinish ? new AbortController().signal : options.signal, call.signal)
}

function endedBy(all: AbortSignal, one: AbortSignal | undefined): AbortSignal {
  return one ? AbortSignal.any([all, one]) : all
}

interface Failed extends Pick<Try, 'call' | 'signal'> {
  readonly outcome: Failure
  readonly state: RetryState
  /** Whether any try so far may have taken effect. */
  readonly isInDoubt: boolean
  readonly idempotencyKey: string | undefined
}

/** Resolves with undefined at the time of the next try, or with the final failure. */
async function waitAfter(
  { options, timing }: { readonly options: ApiOptions; readonly timing: Timing },
  { call, signal, outcome, state }: Failed,
): Promise<Failure | undefined> {
  if (isSilence(outcome)) state.waitedMs += options.timeoutMs
  const waitMs = takeWaitMs(outcome, state, { maxWaitMs: options.maxWaitMs, random: timing.random })
  if (waitMs === undefined || (call.isProbe && outcome.rule === 'few')) return outcome
  options.debug?.(`wait ${waitMs} ms: ${outcome.reason}`)
  if (waitMs >= NOTICEABLE_WAIT_MS) options.onWait?.(waitMs, outcome.reason)
  await timing.sleep(waitMs, signal)
  return signal.aborted ? interruption(call, signal.reason, false) : undefined
}

/** A create in doubt is repeated only where the server keeps its key; a read at the same path may show that. */
async function mayRepeat(
  keys: KeyKeeping,
  { call, outcome, signal }: Failed,
  settle: (call: Call) => Promise<Settled>,
): Promise<boolean> {
  if (!outcome.isInDoubt || !makesAnother(call) || keys.isKept) return true
  if (!keys.canBeShown || signal.aborted) return false
  const { path, base, command, signal: ending } = call
  const action = 'read the headers that show whether the server keeps idempotency keys'
  const place = base === undefined ? { path } : { path, base }
  await settle({ ...place, method: 'GET', action, command, findCommand: undefined, signal: ending })
  return keys.isKept
}

/** A conflict after a try whose answer was lost may be with what that try did. */
function behindDoubt(call: Call, outcome: Answer | Failure, isInDoubt: boolean): Answer | Failure {
  if (!isInDoubt || !isFailure(outcome) || outcome.rule !== 'never' || !isConflictStatus(outcome.status)) return outcome
  return { ...outcome, code: 'in_doubt', hint: call.showCommand ?? call.findCommand ?? outcome.hint }
}

/** False for a redirected change and for a conflict with its own lost try: the server may not keep the key, so the record has to be read. */
function isKeyOfUse(call: Call, { code, status = 0 }: Failure): boolean {
  return makesAnother(call) || code !== 'in_doubt' || status < 300
}

const DELETED: Answer = { status: 204, headers: {}, json: undefined }

/** After a try without an answer, this is the effect of that try. */
function isGone(call: Call, failure: Failure): boolean {
  return call.method === 'DELETE' && (isGoneStatus(failure.status) || failure.code === 'not_found')
}

/** Time spent on a server that does not answer counts as waiting for an outage. */
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
  const body = call.bytes ?? (call.body === undefined ? null : Buffer.from(requestText(call, call.body)))
  if (body) headers.push('Content-Type', 'application/json')
  if (idempotencyKey !== undefined) headers.push(options.terms.idempotencyHeader, idempotencyKey)
  if (call.ifMatch !== undefined) headers.push('If-Match', ifMatchHeader(call.ifMatch))
  const sent = call.headers ? replaceHeaders(headers, call.headers) : headers
  const address = addressOfCall(options.baseUrl, call)
  const credentials = options.connector?.credentials(options.key)
  const path = credentials ? withCredentials(address, credentials) : address
  return { method: call.method, path, headers: sent, body }
}
