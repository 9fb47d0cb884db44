import type { IncomingMessage, Server } from 'node:http'
import { CrmError } from '../core/errors.ts'
import { redactShapes } from '../core/redact.ts'
import { admission, type Gate } from './admission.ts'
import { answerClientError, closeInStages, createHttpServer, type Secure, type Timeouts } from './http-server.ts'
import { type FaultPlan, faultDraw, refusal, resetConnection } from './injected-faults.ts'
import type { KeyUses } from './key-uses.ts'
import { failureText, type Log } from './log.ts'
import { PROBLEM_TYPE, Problem, problemText } from './problem.ts'
import { clientAddress, originFor, type Proxies, prefixFor } from './proxies.ts'
import { readBytes } from './request-bytes.ts'
import type { Route, RouteReply } from './route.ts'
import { openRouter, type Router } from './router.ts'
import { openRequest, type ServerRequest } from './server-request.ts'

/** A request after its response was sent. */
export interface AnsweredRequest {
  readonly method: string
  /** The template of its path; undefined when no route has it. */
  readonly route: string | undefined
  readonly status: number
  readonly ms: number
}

export interface AppOptions extends Gate {
  readonly routes: readonly Route[]
  readonly secure: Secure
  readonly timeouts: Timeouts
  readonly proxies: Proxies
  readonly version: string
  /** Called for every request and every server failure; undefined: no log. */
  readonly log: Log | undefined
  readonly keyUses: KeyUses
  /** Called for every request; returns at once. */
  readonly onAnswered?: ((answered: AnsweredRequest) => void) | undefined
  /** How long the store keeps answers for replays. */
  readonly answersKeptMs: number
  /** Undefined: no injected faults. */
  readonly faults: FaultPlan | undefined
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** The HTTP server of the routes, which get bodies as bytes: a fingerprint needs them, and their JSON keeps all digits of numbers. */
export function createApp(options: AppOptions): Server {
  const { proxies, log, version, answersKeptMs } = options
  const server = createHttpServer(
    (raw, response) => {
      const request = openRequest(raw, response, proxies)
      response.once('finish', () => noteRequest(options, request))
      serve(request).catch((error: unknown) => {
        noteFailure(log, request, error)
        response.destroy()
      })
    },
    options.secure,
    options.timeouts,
  )
  server.on('clientError', answerClientError)
  const app = { ...options, find: openRouter(options.routes), admit: admission(options) }
  const draw = options.faults && faultDraw(options.faults)
  const always = {
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    server: `crm/${version}`,
    // So that a client knows before its first write whether it may repeat one (RFC 9651, a list of strings).
    'idempotency-policy': `"account";w=${Math.floor(answersKeptMs / 1000)}`,
  }
  const serve = async (request: ServerRequest): Promise<void> => {
    const fault = await draw?.(request.path)
    if (!fault) return send(request, await answer(app, request))
    if (fault.isAfterwards) await answer(app, request)
    if (fault.status === undefined) resetConnection(fault, request, log)
    else send(request, problemReply(options, request, refusal(fault.status)))
  }
  const send = ({ raw, response, id, headers: earlier }: ServerRequest, reply: RouteReply): void => {
    const { status, body, type = JSON_TYPE } = reply
    const headers: Record<string, string | number> = { ...earlier, ...reply.headers, 'x-request-id': id, ...always }
    // An open connection would keep a closing server from ending.
    if (!server.listening) headers.connection = 'close'
    if (!raw.complete && headers.connection === 'close') closeInStages(raw)
    if (status !== 204) headers['content-length'] = Buffer.byteLength(body)
    if (body !== '') headers['content-type'] = type
    response.writeHead(status, headers)
    response.end(body)
  }
  return server
}

interface App extends AppOptions {
  readonly find: Router
  readonly admit: ReturnType<typeof admission>
}

/** The reply of its route, or a problem. */
async function answer(app: App, request: ServerRequest): Promise<RouteReply> {
  const { raw } = request
  const prefix = prefixFor(raw, app.proxies)
  try {
    requireOneHost(raw)
    const { route, id } = app.find(raw.method ?? '', request.path)
    request.route = route
    await app.admit(route, request)
    const reply = await route.handle(await app.store, {
      requestId: request.id,
      key: request.key,
      method: route.method,
      url: request.url,
      path: id === '' ? route.path : route.path.replace(':id', () => encodeURIComponent(id)),
      prefix,
      origin: originFor(raw, app.proxies),
      id,
      query: request.query as Readonly<Record<string, string | undefined>>,
      headers: raw.headers,
      body: route.method === 'GET' ? undefined : await bodyOf(route, request),
    })
    request.actions = reply.actions
    return located(reply, prefix)
  } catch (error) {
    return problemReply(app, request, error)
  }
}

async function bodyOf({ maxBodyBytes }: Route, { raw, headers }: ServerRequest): Promise<Buffer | undefined> {
  try {
    return await readBytes(raw, maxBodyBytes)
  } catch (error) {
    // The client may send more of it.
    headers.connection = 'close'
    throw error
  }
}

/** With addresses as the client reaches them. */
function located(reply: RouteReply, prefix: string): RouteReply {
  const { location, link } = reply.headers
  if (prefix === '' || (location ?? link) === undefined) return reply
  const headers = {
    ...reply.headers,
    ...(location !== undefined && { location: prefix + location }),
    ...(link !== undefined && { link: link.replace(/^<(?=\/)/, `<${prefix}`) }),
  }
  return { ...reply, headers }
}

function problemReply({ log, proxies }: AppOptions, request: ServerRequest, error: unknown): RouteReply {
  const problem = problemOf(error)
  if (problem.status >= 500) noteFailure(log, request, error)
  return {
    status: problem.status,
    type: PROBLEM_TYPE,
    body: problemText(problem, prefixFor(request.raw, proxies) + request.path, request.id),
    headers: problem.parts.headers ?? {},
  }
}

function noteFailure(log: Log | undefined, { id }: ServerRequest, error: unknown): void {
  log?.({ level: 'error', event: 'failure', request_id: id, error: failureText(error) })
}

/** Records the answered request in the log and in the audit of its key. */
function noteRequest({ log, keyUses, now, onAnswered, proxies }: AppOptions, request: ServerRequest): void {
  const { raw, response, route, key, actions, startMs } = request
  const { method = '' } = raw
  const { statusCode: status } = response
  const ms = performance.now() - startMs
  onAnswered?.({ method, route: route?.path, status, ms })
  log?.({
    level: 'info',
    event: 'request',
    request_id: request.id,
    method,
    route: route?.path,
    path: redactShapes(request.path),
    status,
    ms: Math.round(ms * 10) / 10,
    key_id: key?.id,
  })
  if (!key) return
  const use = { keyId: key.id, atMs: now(), address: clientAddress(raw, proxies) }
  for (const { name, isRefused } of actions ?? [{ name: `${method} ${route?.path}`, isRefused: false }])
    keyUses.add({ ...use, action: name, isRefused: isRefused || status >= 400 })
}

/** RFC 9112 section 3.2: a proxy before the service may have used another one. Node joins them with commas, which no host contains. */
function requireOneHost({ headers: { host }, rawHeaders }: IncomingMessage): void {
  if (!host?.includes(',')) return
  if (rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length < 2) return
  throw new Problem(400, { code: 'malformed_request', detail: 'the request has more than one Host header' })
}

/** The Problem for any thrown error. Messages of the database and of bugs are logged, not sent to clients. */
function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof CrmError) {
    const detail = 'the database is not available at the moment'
    return new Problem(503, { code: 'unavailable', detail, headers: { 'retry-after': '5' } })
  }
  return new Problem(500, { code: 'internal', detail: 'internal error; see the log under the request id' })
}
