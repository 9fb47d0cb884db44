import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { CrmError } from '../core/errors.ts'
import { redactShapes } from '../core/redact.ts'
import { admission, type Gate } from './admission.ts'
import { ClientConnection, openRequest, type ServerRequest } from './client-connection.ts'
import {
  closeInStages,
  createHttpServer,
  limitConnections,
  problemOfBytes,
  type Secure,
  type Timeouts,
} from './http-server.ts'
import { type FaultPlan, faultDraw, refusal } from './injected-faults.ts'
import type { KeyUses } from './key-uses.ts'
import { failureText, type Log } from './log.ts'
import { PROBLEM_TYPE, Problem, type ProblemStatus, problemText, quotedText } from './problem.ts'
import { originFor, type Proxies, prefixFor } from './proxies.ts'
import { HeldBytes, sendResponse } from './response.ts'
import type { Route, RouteReply } from './route.ts'
import { openRouter, PATH_ID, type Router } from './router.ts'
import { OVERLOADED, overloaded, Turns } from './turns.ts'

/** Of requests whose route has no limit of its own. */
const MAX_BODY_BYTES = 1024 * 1024

/** A request after its response was sent, or its client had left. */
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
  readonly maxConnections: number
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
  const held = new HeldBytes(() =>
    log?.({ level: 'warn', event: 'note', message: 'bodies of slow clients fill the memory: the oldest is cut off' }),
  )
  const app = { ...options, held, turns: new Turns(), find: openRouter(options.routes), admit: admission(options) }
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
    if (fault.isAfterwards) request.status = (await answer(app, request)).status
    if (fault.status !== undefined) return send(request, problemReply(options, request, refusal(fault.status)))
    request.reset = fault.isAfterwards ? 'after' : 'before'
    request.raw.socket.resetAndDestroy()
  }
  const send = (request: ServerRequest, { status, body, type = JSON_TYPE, headers: own }: RouteReply): void => {
    const { raw, id, headers: earlier } = request
    const headers: Record<string, string | number> = { ...earlier, ...own, 'x-request-id': id, ...always }
    // An open connection would keep a closing server from ending.
    if (!server.listening) headers.connection = 'close'
    if (!raw.complete && headers.connection === 'close') closeInStages(raw)
    if (body !== '') headers['content-type'] = type
    request.status = status
    sendResponse(request, { status, body, headers }, held)
  }
  const connections = new WeakMap<Socket, ClientConnection>()
  const connectionOf = (socket: Socket): ClientConnection => {
    const known = connections.get(socket)
    if (known) return known
    const connection = new ClientConnection(socket, {
      serve: (request) =>
        serve(request).catch((error: unknown) => {
          noteFailure(log, request, error)
          request.status = 500
          request.response.destroy()
        }),
      onEnd: (request) => {
        held.release(socket)
        noteRequest(options, request)
      },
    })
    connections.set(socket, connection)
    return connection
  }
  const server = createHttpServer(
    (raw, response) => connectionOf(raw.socket).add(openRequest(raw, response, proxies)),
    options.secure,
    options.timeouts,
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else connectionOf(socket).fail(problemOfBytes(error))
  })
  // Without a listener, Node closes the connection before the requests in front of it are answered.
  server.on('connect', ({ socket }) =>
    connectionOf(socket).fail(new Problem(501, 'unknown_method', 'the service has no CONNECT')),
  )
  limitConnections(server, options.maxConnections, log)
  return server
}

interface App extends AppOptions {
  readonly find: Router
  readonly admit: ReturnType<typeof admission>
  readonly turns: Turns
  readonly held: HeldBytes
}

/** The reply of its route, or a problem. */
async function answer(app: App, request: ServerRequest): Promise<RouteReply> {
  const { raw } = request
  const prefix = prefixFor(raw, app.proxies)
  try {
    if (request.fault) throw request.fault
    requireKnownHttp(raw)
    const { route, ids } = app.find(raw.method ?? '', request.path)
    request.route = route
    // Health probes have no turn: they are answered at once.
    const turn = route.scope === undefined ? undefined : app.turns.next()
    if (turn) await turnOf(turn, raw)
    await app.admit(route, request)
    const reply = await route.handle(await app.store, {
      requestId: request.id,
      key: request.key,
      method: route.method,
      url: request.url,
      path: pathOf(route, ids),
      prefix,
      origin: originFor(raw, app.proxies),
      id: ids[0] ?? '',
      innerId: ids[1] ?? '',
      query: request.query as Readonly<Record<string, string | undefined>>,
      headers: raw.headers,
      body: route.method === 'GET' ? undefined : await bodyOf(app.held, route, request),
    })
    request.actions = reply.actions
    return located(reply, prefix)
  } catch (error) {
    return problemReply(app, request, error)
  }
}

function pathOf({ path }: Route, ids: readonly string[]): string {
  const left = ids.values()
  return path.replaceAll(PATH_ID, () => encodeURIComponent(left.next().value ?? ''))
}

async function turnOf(turn: Promise<void>, { socket }: IncomingMessage): Promise<void> {
  await turn
  if (socket.destroyed) throw overloaded()
}

async function bodyOf(held: HeldBytes, { maxBodyBytes }: Route, request: ServerRequest): Promise<Buffer | undefined> {
  const { raw, headers } = request
  try {
    if (request.fault) throw request.fault
    if (raw.complete) return await readBytes(raw, maxBodyBytes)
    const { promise: broken, reject } = Promise.withResolvers<never>()
    request.onFault = reject
    const hold = ({ length }: Buffer): void => held.hold(raw.socket, length)
    try {
      const bytes = readBytes(raw, maxBodyBytes)
      raw.on('data', hold)
      return await Promise.race([bytes, broken])
    } finally {
      raw.off('data', hold)
    }
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
  if (problem.status >= 500 && problem.code !== OVERLOADED) noteFailure(log, request, error)
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

/** Records the request in the log and in the audit of its key, also when its client had left: it may have taken effect. */
function noteRequest({ log, keyUses, now, onAnswered }: AppOptions, request: ServerRequest): void {
  const { raw, response, route, key, actions, status, reset } = request
  const { method = '' } = raw
  const ms = performance.now() - request.startMs
  log?.({
    level: reset ? 'warn' : 'info',
    event: 'request',
    request_id: request.id,
    method,
    route: route?.path,
    path: redactShapes(request.path),
    status,
    ms: Math.round(ms * 10) / 10,
    bytes: response.writableFinished ? request.sizeBytes : request.sentBytes,
    cut_off: response.writableFinished ? undefined : true,
    reset,
    key_id: key?.id,
  })
  if (status === undefined) return
  onAnswered?.({ method, route: route?.path, status, ms })
  if (!key) return
  const use = { keyId: key.id, atMs: now(), address: request.address }
  for (const { name, isRefused } of actions ?? [{ name: `${method} ${route?.path}`, isRefused: false }])
    keyUses.add({ ...use, action: name, isRefused: isRefused || status >= 400 })
}

/** The Problem for any thrown error. Messages of the database and of bugs are logged, not sent to clients. */
function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof CrmError) {
    const detail = 'the database is not available at the moment'
    return new Problem(503, 'unavailable', detail, { headers: { 'retry-after': '5' } })
  }
  return new Problem(500, 'internal', 'internal error; see the log under the request id')
}

/** Throws for what the service does not have, and for what a proxy in front of it may have read otherwise. */
function requireKnownHttp(request: IncomingMessage): void {
  const { expect, 'transfer-encoding': coding } = request.headers
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    // RFC 9112 section 6.1.
    throw ending(501, 'unknown_transfer_coding', `Transfer-Encoding: expected chunked, got ${quotedText(coding)}`)
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw ending(417, 'unknown_expectation', `Expect: expected 100-continue, got ${quotedText(expect)}`)
  }
  requireOneHost(request)
}

/** RFC 9112 section 3.2: a proxy before the service may have used another one. Node joins them with commas, which no host contains. */
function requireOneHost({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): void {
  if (host === undefined && httpVersion === '1.1') {
    throw ending(400, 'malformed_request', 'the request has no Host header')
  }
  if (!host?.includes(',')) return
  if (rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length < 2) return
  throw ending(400, 'malformed_request', 'the request has more than one Host header')
}

/** The rest of the connection may not be what it seems. */
function ending(status: ProblemStatus, code: string, detail: string): Problem {
  return new Problem(status, code, detail, { headers: { connection: 'close' } })
}

/** The body; undefined when none was sent. Rejects with a Problem for one that is too large or cut off. */
export async function readBytes(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<Buffer | undefined> {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
  if (coding === undefined && length === '0') return undefined
  if (Number(length) > maxBytes) throw tooLarge(maxBytes)
  // Of a client that has gone, no event follows.
  if (request.destroyed) throw truncated()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let sizeBytes = 0
    const keep = (chunk: Buffer) => {
      sizeBytes += chunk.length
      if (sizeBytes <= maxBytes) return void chunks.push(chunk)
      request.off('data', keep)
      reject(tooLarge(maxBytes))
    }
    request.on('data', keep)
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
    request.once('error', () => reject(truncated()))
  })
}

function truncated(): Problem {
  return new Problem(400, 'malformed_request', 'the request was truncated')
}

function tooLarge(maxBytes: number): Problem {
  const detail = `the body is larger than ${maxBytes / 1024 / 1024} MiB`
  return new Problem(413, 'body_too_large', detail)
}
