import type { FailureMeaning } from '../../connector/document.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { JsonValue } from '../../core/json.ts'
import { shellWord } from '../../core/shell-words.ts'
import { isLimitRefusal, readRetryAfterMs } from '../limits/rate-headers.ts'
import { parseJson, readBodyText } from '../transport/answer.ts'
import { type Call, isWrite, makesAnother } from '../transport/call.ts'
import type { Reply } from '../transport/exchange.ts'
import { requestIdOf } from '../transport/headers.ts'
import { ADDRESS_HINT, type Failure, mismatchHint, type RetryRule } from './failure.ts'
import { oneLine } from './one-line.ts'
import { readProblem, type ServerProblem } from './problem.ts'

/**
 * RFC 9110, 15.4.2 to 15.4.4. Web frameworks send them after a POST, PATCH or DELETE that they handled. 307 and 308 ask
 * for the same method at another address: the request was not handled.
 */
const AFTER_HANDLING = [301, 302, 303]

const LOGIN_PAGE = /^(?:wp-|user[-_]?)?(?:log[-_]?in|sign[-_]?in|auth|oauth2?|sso)(?:\.\w+)?$/i

interface StatusMeaning {
  readonly code: ErrorCode
  readonly rule: RetryRule
}

/** The only table from status to error. Other statuses are treated by their class, below. */
export const STATUSES: Readonly<Record<number, StatusMeaning>> = {
  400: { code: 'bad_request', rule: 'never' },
  401: { code: 'unauthorized', rule: 'never' },
  403: { code: 'forbidden', rule: 'never' },
  404: { code: 'not_found', rule: 'never' },
  408: { code: 'timeout', rule: 'few' },
  409: { code: 'conflict', rule: 'never' },
  410: { code: 'not_found', rule: 'never' },
  412: { code: 'precondition_failed', rule: 'never' },
  422: { code: 'invalid_values', rule: 'never' },
  // nginx: the client closed the request.
  499: { code: 'timeout', rule: 'few' },
  500: { code: 'server_error', rule: 'few' },
  502: { code: 'server_error', rule: 'few' },
  503: { code: 'server_error', rule: 'few' },
  504: { code: 'server_error', rule: 'few' },
}
const OTHER_SERVER_ERROR: StatusMeaning = { code: 'server_error', rule: 'never' }
const OTHER: StatusMeaning = { code: 'rejected', rule: 'never' }

const IN_DOUBT: StatusMeaning = { code: 'in_doubt', rule: 'never' }

const RATE_LIMITED: StatusMeaning = { code: 'rate_limited', rule: 'patient' }

/** An earlier try, or another process with the same key, is still in progress: crm waits for its answer. */
const IN_PROGRESS: StatusMeaning = { code: 'conflict', rule: 'patient' }

interface Received {
  readonly url: URL
  readonly nowMs: number
  readonly loginHint: string | undefined
}

export function statusFailure(call: Call, reply: Reply, at: Received): Failure {
  const { status, headers } = reply
  const text = readBodyText(reply) ?? reply.body.toString('latin1')
  const json = parseJson(text)
  const problem: ServerProblem = { ...readProblem(text, json), ...call.errors?.problem(json) }
  const isInProgress = status === 409 && problem.code === 'idempotency_in_progress'
  const { code, rule } = isInProgress
    ? IN_PROGRESS
    : (declaredMeaning(call, status, json) ?? meaningOf(call, reply, at))
  const requestId = requestIdOf(headers, problem)
  const retryAfterMs = rule === 'never' ? undefined : readRetryAfterMs({ status, headers, json }, at.nowMs)
  return {
    code,
    reason: isRedirect(status) ? redirectReason(reply, at.url) : statusReason(call, status, problem, at.url),
    hint:
      isRedirect(status) && code !== 'in_doubt'
        ? ADDRESS_HINT
        : (missingHint(call, { code, status }, problem) ?? statusHint(call, { code, status, retryAfterMs }, at)),
    rule,
    isInDoubt: isWrite(call) && (isInProgress || code === 'in_doubt' || mayHaveBegun(status, retryAfterMs)),
    status,
    headers,
    body: reply.body,
    ...(problem.code === undefined ? {} : { serverCode: problem.code }),
    ...(problem.field === undefined ? {} : { field: problem.field }),
    ...(problem.fields.length === 0 ? {} : { fields: problem.fields }),
    ...(requestId === undefined ? {} : { requestId }),
    ...againIn(rule, retryAfterMs),
  }
}

/** For a create that lacks a member which the server asks for, by a connector whose fields say what is sent. */
function missingHint(
  { fieldsHint, bytes }: Call,
  { code, status }: { readonly code: ErrorCode; readonly status: number },
  { fields }: ServerProblem,
): string | undefined {
  if (!fieldsHint || (code !== 'invalid_values' && code !== 'bad_request' && status >= 300)) return undefined
  const names = fields.flatMap(({ pointer = '' }) => pointer.split('/').at(-1) || [])
  const isMissing = names.some((name) => !bytes?.includes(JSON.stringify(name)))
  return isMissing || (names.length === 0 && fieldsHint.isDrafted) ? fieldsHint.text : undefined
}

/** The statuses of a connector's words; `limit` and `retry` wait as 429 and 503 do, `locked` as the latter. */
export const DECLARED: Readonly<Record<FailureMeaning, StatusMeaning>> = {
  exists: { code: 'conflict', rule: 'never' },
  gone: { code: 'not_found', rule: 'never' },
  limit: RATE_LIMITED,
  retry: { code: 'server_error', rule: 'few' },
  locked: { code: 'conflict', rule: 'few' },
  auth: { code: 'unauthorized', rule: 'never' },
  invalid: { code: 'invalid_values', rule: 'never' },
}

function declaredMeaning({ errors }: Call, status: number, json: JsonValue | undefined): StatusMeaning | undefined {
  const meaning = isRedirect(status) ? undefined : errors?.meaning(status, json)
  return meaning && DECLARED[meaning]
}

/** A 304 leads nowhere else. */
function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304
}

/** RFC 9110, 15: a status that is none counts as 5xx. */
function isServerError(status: number): boolean {
  return status >= 500 || status < 100
}

function meaningOf(call: Call, reply: Reply, { url, nowMs }: Received): StatusMeaning {
  const { status } = reply
  if (mayFollowHandling(call, reply, url)) return IN_DOUBT
  if (isLimitRefusal(reply, nowMs)) return RATE_LIMITED
  return STATUSES[status] ?? (isServerError(status) ? OTHER_SERVER_ERROR : OTHER)
}

/** A 503 with Retry-After means that the server did not start the request. */
function mayHaveBegun(status: number, retryAfterMs: number | undefined): boolean {
  return status === 408 || status === 499 || (isServerError(status) && !(status === 503 && retryAfterMs !== undefined))
}

/** A temporary failure may be over after a longer wait. */
function againIn(rule: RetryRule, retryAfterMs: number | undefined): Partial<Failure> {
  if (rule === 'never') return {}
  return { repeat: 'longer-max-wait', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

function statusReason(call: Call, status: number, problem: ServerProblem, url: URL): string {
  if (status === 412 && call.ifMatch !== undefined && !hasWord(problem.message, call.ifMatch)) {
    const more = problem.message === '' ? '' : `: ${problem.message}`
    return `the record is not at version ${oneLine(call.ifMatch, 60)}${more} (412)`
  }
  return problem.message === '' ? `${url.origin} answered ${status}` : `${problem.message} (${status})`
}

function hasWord(text: string, word: string): boolean {
  return text.split(/[^\w-]+/).includes(word)
}

function statusHint(
  call: Call,
  { code, status, retryAfterMs }: { code: ErrorCode; status: number; retryAfterMs: number | undefined },
  { url, loginHint }: Received,
): string {
  switch (code) {
    case 'unauthorized':
      return loginHint ?? `crm auth login --base-url ${shellWord(url.href.replace(/\/$/, ''))}`
    case 'forbidden':
      return 'crm auth status names the key in use; it lacks the scope for this'
    case 'in_doubt':
    case 'precondition_failed':
      return call.showCommand ?? call.findCommand ?? ADDRESS_HINT
    case 'not_found':
      return call.findCommand ?? ADDRESS_HINT
    case 'rate_limited':
      return !retryAfterMs
        ? 'try again later, or wait longer with --max-wait 10m'
        : `try again in ${Math.ceil(retryAfterMs / 1000)} s, or let --max-wait cover it`
    case 'server_error':
    case 'timeout':
      return 'try again later, or wait longer with --max-wait 10m'
    default:
      // What a 2xx refuses, of a server that this connector may not be for.
      return status < 300 && code === 'rejected' ? mismatchHint(url) : `${call.command} --help`
  }
}

/** Whether a write that is answered with a redirect may have taken effect. `base` is the address of the server. */
export function mayFollowHandling(call: Call, reply: Reply, base: URL): boolean {
  const { status } = reply
  if (!isWrite(call) || !AFTER_HANDLING.includes(status) || reply.isSlashLoop) return false
  const target = targetOf(reply, base)
  if (target === null) return true
  if (isOwn(target, base)) return !isLoginPage(target, call, base)
  // RFC 9110, 15.4.4: done, with the result at that address.
  const isResult = status === 303 && makesAnother(call) && !isLoginPage(target, call, base)
  return isNear(target, call) || (isResult && segmentsOf(target.pathname).at(-1) !== segmentsOf(call.path).at(-1))
}

/** Behind a proxy that ends TLS, applications often name their own address with http. */
function isOwn({ origin, protocol, hostname }: URL, base: URL): boolean {
  return origin === base.origin || (protocol === 'http:' && base.protocol === 'https:' && hostname === base.hostname)
}

/** The part of the path that the request has as well is no sign of a login page. */
function isLoginPage(target: URL, call: Call, base: URL): boolean {
  const asked = segmentsOf(base.pathname + call.path)
  const steps = segmentsOf(target.pathname)
  const from = steps.findIndex((step, at) => step !== asked[at])
  return from >= 0 && steps.slice(from).some((step) => LOGIN_PAGE.test(step))
}

/** On another origin: the created record, or the list of the changed one. Any other path, such as the same one, is a moved API. */
function isNear(target: URL, { method, path }: Call): boolean {
  const [last, parent] = segmentsOf(target.pathname).reverse()
  const [askedLast, askedParent] = segmentsOf(path).reverse()
  return method === 'POST' ? parent !== undefined && parent === askedLast : last !== undefined && last === askedParent
}

function segmentsOf(path: string): string[] {
  return (path.split('?')[0] ?? '').split('/').filter(Boolean)
}

function targetOf({ headers }: Reply, base: URL): URL | null {
  return headers.location === undefined ? null : URL.parse(headers.location, base.href)
}

function redirectReason(reply: Reply, base: URL): string {
  const target = targetOf(reply, base)
  return `${base.origin} redirects to ${target ? placeOf(target, base) : 'nowhere'} (${reply.status}), and redirects are never followed`
}

function placeOf(target: URL, { origin }: URL): string {
  return target.origin === origin ? oneLine(target.pathname, 100) : `${target.protocol}//${target.host}`
}
