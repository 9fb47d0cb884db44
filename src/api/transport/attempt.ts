import type { ConnectorDocument } from '../../connector/document.ts'
import { shippedConnector } from '../../connector/shipped.ts'
import type { Redactor } from '../../core/redact.ts'
import { isOfTemplate } from '../connectors/connector.ts'
import { ADDRESS_HINT, type Failure, isFailure, statesRefusal } from '../errors/failure.ts'
import { networkFailure } from '../errors/network-failure.ts'
import { statusFailure } from '../errors/status-failure.ts'
import type { ApiOptions } from '../options.ts'
import { settingCommand } from '../server-terms.ts'
import { type Answer, parseJson, readAnswer, redactHeaders, redactReply, redactSuccessHeaders } from './answer.ts'
import { type Call, isWrite } from './call.ts'
import type { Connections } from './connections.ts'
import { CUT, NoReply, type Outgoing, type Reply } from './exchange.ts'
import { requestIdOf } from './headers.ts'
import type { Timing } from './timing.ts'
import type { TrailingSlashes } from './trailing-slashes.ts'

export interface Try {
  readonly call: Call
  readonly outgoing: Outgoing
  /** 1 for the first. */
  readonly number: number
  readonly signal: AbortSignal
}

export interface TryOptions extends ApiOptions {
  /** Applied to an answer before it is read, so that errors, reasons and ids contain no secret. */
  readonly redactor: Redactor
  /** The paths of the server that end in a slash. */
  readonly slashes: TrailingSlashes
}

/** One try: the answer, or the failure. */
export async function attempt(
  connections: Pick<Connections, 'exchange'>,
  one: Try,
  options: TryOptions,
): Promise<Answer | Failure> {
  // The end of the client does not abort a running try of this call, but prevents the next.
  if (one.call.isLetFinish && options.signal.aborted) return interruption(one.call, options.signal.reason, false)
  const startedMs = options.now()
  const outcome = await reach(connections, one, options)
  options.debug?.(debugLine(one, outcome, { tookMs: options.now() - startedMs, redactor: options.redactor }))
  return outcome
}

/** Sends a request that has limits of its own when they allow it, any other one at once. */
export function holdFor<Result>(
  { call: { limits }, signal }: Pick<Try, 'call' | 'signal'>,
  { ceilings }: Pick<ApiOptions, 'ceilings'>,
  { send, sleep }: { readonly send: () => Promise<Result>; readonly sleep: Timing['sleep'] },
): Promise<Result> {
  return limits && ceilings ? ceilings.of(limits).hold(send, sleep, signal) : send()
}

async function reach(
  connections: Pick<Connections, 'exchange'>,
  { call, outgoing, signal }: Try,
  options: TryOptions,
): Promise<Answer | Failure> {
  try {
    const received = await options.slashes.exchange(connections, outgoing, { timeoutMs: options.timeoutMs, signal })
    const reply = received.headers['content-encoding'] ? await decoded(received) : received
    if (received.status < 200 || received.status > 299) {
      const read = typeof reply === 'string' ? { ...received, body: Buffer.alloc(0) } : reply
      return await checkRoute(refusal(call, read, options), call, options)
    }
    // A truncated compressed body counts as a dropped connection.
    if (reply === CUT) throw new NoReply('network', true, new CutError(CUT))
    if (typeof reply === 'string') return badAnswer(call, reply, received, options)
    return call.isAnyTypeTaken ? unread(call, reply, options) : success(call, reply, options)
  } catch (error) {
    if (!(error instanceof NoReply)) throw error
    if (error.type === 'interrupted') return interruption(call, error.cause, error.isSent)
    const { baseUrl: url, timeoutMs, serveDatabase, terms, connector } = options
    const isServe = connector.document.offers !== undefined
    return networkFailure(call, error, { url, timeoutMs, isServe, serveDatabase, profile: terms.profile })
  }
}

function success(call: Call, reply: Reply, options: TryOptions): Answer | Failure {
  const headers = redactSuccessHeaders(reply.headers, options.redactor)
  const answer = readAnswer(call, { ...reply, headers }, options.redactor)
  if (typeof answer === 'string') return badAnswer(call, answer, reply, options)
  const isRefusal = statesRefusal(answer.json) || call.errors?.isRefusal(answer.status, answer.json)
  return call.isJudged && isRefusal ? refusal(call, reply, options) : answer
}

/** An answer of any type is shown unchanged; the reason taken from it is redacted. */
function refusal(call: Call, reply: Reply, { baseUrl: url, now, loginHint, redactor }: TryOptions): Failure {
  const failure = statusFailure(call, redactReply(reply, redactor), { url, nowMs: now(), loginHint })
  return call.isAnyTypeTaken ? { ...failure, headers: reply.headers, body: reply.body } : failure
}

/** The body as it came, for a caller that prints it. A refusal stated in it is a failure, where the call asks for that. */
function unread(call: Call, reply: Reply, options: TryOptions): Answer | Failure {
  const { status, headers, body } = reply
  const json = call.isJudged ? parseJson(body.toString('utf8')) : undefined
  return statesRefusal(json) ? refusal(call, reply, options) : { status, headers, json: undefined, body }
}

/** A 2xx that cannot be read: what the server, or a proxy in front of it, did is unknown. */
function badAnswer(
  call: Call,
  reason: string,
  { status, headers }: Reply,
  { redactor: { foreign } }: TryOptions,
): Failure {
  const isInDoubt = isWrite(call)
  const code = isInDoubt ? 'in_doubt' : 'bad_answer'
  const known = { code, hint: ADDRESS_HINT, rule: 'never', isInDoubt, status } as const
  return { ...known, reason: foreign(reason), headers: redactHeaders(headers, foreign) }
}

class CutError extends Error {
  /** The code of undici for a body that is shorter than its Content-Length. */
  readonly code = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
}

async function decoded(reply: Reply): Promise<Reply | string> {
  const encoding = reply.headers['content-encoding'] ?? ''
  if (encoding === 'identity' || reply.body.length === 0) return reply
  // Loaded on first use: few servers compress an answer without Accept-Encoding.
  const { decodeBody } = await import('./decode.ts')
  const body = await decodeBody(reply.body, encoding)
  return typeof body === 'string' ? body : { ...reply, body }
}

export function interruption(call: Call, cause: unknown, isSent: boolean): Failure {
  const isInDoubt = isSent && isWrite(call)
  return {
    code: 'interrupted',
    reason: 'interrupted',
    hint: call.command,
    repeat: 'same',
    rule: 'never',
    isInDoubt,
    cause,
  }
}

function debugLine(
  { outgoing, number }: Try,
  outcome: Answer | Failure,
  { tookMs, redactor }: { readonly tookMs: number; readonly redactor: Redactor },
): string {
  const id = isFailure(outcome) ? outcome.requestId : requestIdOf(outcome.headers)
  const result = isFailure(outcome) ? (outcome.status ?? outcome.reason) : outcome.status
  const parts = [`${outgoing.method} ${redactor.own(outgoing.path)}: ${result}`, `${tookMs} ms`, `try ${number}`]
  if (id !== undefined) parts.push(`request ${redactor.foreign(id)}`)
  return parts.join(', ')
}

/**
 * A 404 without the code that refusals of this server have may be one of the path, not of the record. Where the connector has the request
 * beyond the one that it extends, the server may have that one alone.
 */
async function checkRoute(
  failure: Failure,
  call: Call,
  { connector, terms }: Pick<ApiOptions, 'connector' | 'terms'>,
): Promise<Failure> {
  const { document } = connector
  const { extends: base, error } = document
  const { status, serverCode, body: _, ...rest } = failure
  const isCoded = base === undefined || error.code === undefined || serverCode !== undefined
  if (status !== 404 || isCoded || call.isAnyTypeTaken) return failure
  if (!hasRequest(document, call) || hasRequest(await shippedConnector(base), call)) return failure
  const use = terms.profile === undefined ? `export CRM_CONNECTOR=${base}` : settingCommand(`connector ${base}`, terms)
  return {
    ...rest,
    code: 'not_supported',
    reason: `${failure.reason}, without a code at ${error.code}: the server may lack ${call.method} ${call.path}, as it does if it has no more than the connector ${base} describes`,
    hint: use,
  }
}

function hasRequest({ resources }: ConnectorDocument, { method, path }: Call): boolean {
  return Object.values(resources).some((described) =>
    Object.values(described).some(
      (each) =>
        typeof each === 'object' &&
        each !== null &&
        'method' in each &&
        each.method === method &&
        isOfTemplate(path, String(each.path)),
    ),
  )
}
