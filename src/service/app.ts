import { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { CrmError } from '../core/errors.ts'
import { redactShapes } from '../core/redact.ts'
import { admission, type Gate } from './admission.ts'
import { unsupportedType } from './body.ts'
import { answerClientError, closeInStages, createHttpServer, type Secure, type Timeouts } from './http-server.ts'
import { type FaultPlan, injectFaults } from './injected-faults.ts'
import type { KeyUses } from './key-uses.ts'
import { failureText, type Log } from './log.ts'
import { PROBLEM_TYPE, Problem, problemText, requestId } from './problem.ts'
import { originFor, ownUrl, type Proxies, prefixFor, readForwarded } from './proxies.ts'
import type { Route, RouteReply } from './route.ts'

/** Requests that Fastify rejects before a route sees them. */
const FRAMEWORK_FAULTS: Readonly<Record<string, (method: string, maxBytes: number) => Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (_method, maxBytes) =>
    new Problem(413, { code: 'body_too_large', detail: `the body is larger than ${maxBytes / 1024 / 1024} MiB` }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Problem(400, { code: 'malformed_body', detail: 'the length of the body differs from Content-Length' }),
  FST_ERR_BAD_URL: () => new Problem(400, { code: 'malformed_url', detail: 'the path is not percent-encoded UTF-8' }),
  FST_ERR_MAX_PARAM_LENGTH: () => new Problem(404, { code: 'not_found', detail: 'the id is too long' }),
}

/** A request after its response was sent, or its connection lost. */
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

const MAX_BODY_BYTES = 1024 * 1024

/**
 * The HTTP server of the routes. Routes receive bodies as bytes and parse the JSON themselves: a fingerprint needs the bytes,
 * and Fastify's parser rejects members named `__proto__` and loses digits of numbers.
 */
export function createApp(options: AppOptions): FastifyInstance {
  const app = fastify({
    serverFactory: (listener) => createHttpServer(listener, options.secure, options.timeouts),
    bodyLimit: MAX_BODY_BYTES,
    keepAliveTimeout: options.timeouts.idleMs,
    requestTimeout: options.timeouts.requestMs,
    connectionTimeout: options.timeouts.silentMs,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    trustProxy: options.proxies.trusts,
    rewriteUrl: (request) => {
      readForwarded(request, options.proxies)
      return ownUrl(request.url ?? '/', options.proxies)
    },
    genReqId: (request) => requestId(request.headers['x-request-id']),
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => sendProblem(options, request, reply, error),
    routerOptions: { maxParamLength: 256 },
    // Without these, Fastify loads Ajv and fast-json-stringify. No route has a schema.
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error, request, reply) => sendProblem(options, request, reply, error))
  app.setNotFoundHandler((request, reply) => sendProblem(options, request, reply, unrouted(options.routes, request)))
  app.decorateRequest('apiKey', undefined)
  app.decorateRequest('actions', undefined)
  app.addHook('onRequest', (request, _reply, done) => done(hasSeveralHosts(request) ? severalHosts() : undefined))
  app.addHook('onResponse', async (request, reply) => noteRequest(options, request, reply))
  if (options.faults) injectFaults(app, options.faults, options.log)
  addRoutes(app, options)
  return app
}

function withoutSchemas(): never {
  throw new Error('no route has a schema')
}

function addRoutes(app: FastifyInstance, options: AppOptions): void {
  const { store, proxies } = options
  const admit = admission(options)
  for (const route of options.routes) {
    app.route({
      method: route.method,
      url: route.path,
      onRequest: admit(route),
      bodyLimit: route.maxBodyBytes ?? MAX_BODY_BYTES,
      handler: async (request, reply) => {
        const { id = '' } = request.params as { id?: string }
        const call = {
          requestId: request.id,
          key: request.apiKey,
          method: route.method,
          url: request.url,
          path: id === '' ? route.path : route.path.replace(':id', () => encodeURIComponent(id)),
          prefix: prefixFor(request.raw, proxies),
          origin: originFor(request.raw, proxies),
          id,
          query: request.query as Record<string, string>,
          headers: request.headers,
          body: request.body as Buffer | undefined,
        }
        const answer = await route.handle(await store, call)
        request.actions = answer.actions
        return send(reply, located(answer, call.prefix), { type: JSON_TYPE, options })
      },
    })
  }
}

/** With addresses as the client reaches them. */
function located(answer: RouteReply, prefix: string): RouteReply {
  const { location, link } = answer.headers
  if (prefix === '' || (location ?? link) === undefined) return answer
  const headers = {
    ...answer.headers,
    ...(location !== undefined && { location: prefix + location }),
    ...(link !== undefined && { link: link.replace(/^<(?=\/)/, `<${prefix}`) }),
  }
  return { ...answer, headers }
}

function send(
  reply: FastifyReply,
  answer: RouteReply,
  { type, options: { version, answersKeptMs } }: { readonly type: string; readonly options: AppOptions },
): FastifyReply {
  reply
    .code(answer.status)
    .headers(answer.headers)
    .headers({
      'x-request-id': reply.request.id,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      server: `crm/${version}`,
      // So that a client knows before its first write whether it may repeat one (RFC 9651, a list of strings).
      'idempotency-policy': `"account";w=${Math.floor(answersKeptMs / 1000)}`,
    })
  // An open connection would keep a closing server from ending.
  if (!reply.server.server.listening) reply.header('connection', 'close')
  const { raw } = reply.request
  if (!raw.complete && reply.getHeader('connection') === 'close') closeInStages(raw)
  return answer.body === '' ? reply.send() : reply.header('content-type', answer.type ?? type).send(answer.body)
}

function sendProblem(options: AppOptions, request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const problem = problemOf(error, request)
  if (problem.status >= 500) {
    options.log?.({ level: 'error', event: 'failure', request_id: request.id, error: failureText(error) })
  }
  const answer: RouteReply = {
    status: problem.status,
    body: problemText(problem, prefixFor(request.raw, options.proxies) + pathOf(request), request.id),
    headers: problem.parts.headers ?? {},
  }
  return send(reply, answer, { type: PROBLEM_TYPE, options })
}

/** 405 for a path that exists with other methods, else 404. */
function unrouted(routes: readonly Route[], request: FastifyRequest): Error {
  const path = pathOf(request)
  const allowed = routes.filter((route) => matchesPath(route.path, path)).map((route) => route.method)
  return allowed.length > 0 ? notAllowed(request.method, path, allowed) : noSuchPath(path)
}

function matchesPath(pattern: string, path: string): boolean {
  const parts = path.split('/')
  const expected = pattern.split('/')
  return parts.length === expected.length && expected.every((part, index) => part === ':id' || part === parts[index])
}

/** Records the answered request in the log and in the audit of its key. */
function noteRequest(
  { log, keyUses, now, onAnswered }: AppOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { method, apiKey, routeOptions } = request
  const { statusCode: status, elapsedTime } = reply
  onAnswered?.({ method, route: routeOptions.url, status, ms: elapsedTime })
  log?.({
    level: 'info',
    event: 'request',
    request_id: request.id,
    method,
    route: routeOptions.url,
    path: redactShapes(pathOf(request)),
    status,
    ms: Math.round(elapsedTime * 10) / 10,
    key_id: apiKey?.id,
  })
  if (!apiKey) return
  const use = { keyId: apiKey.id, atMs: now(), address: request.ip }
  for (const { name, isRefused } of request.actions ?? [{ name: `${method} ${routeOptions.url}`, isRefused: false }])
    keyUses.add({ ...use, action: name, isRefused: isRefused || status >= 400 })
}

/** Node joins them with commas, which no host contains. */
function hasSeveralHosts({ headers: { host }, raw: { rawHeaders } }: FastifyRequest): boolean {
  if (!host?.includes(',')) return false
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1
}

function pathOf(request: FastifyRequest): string {
  return request.url.split(/[?#]/, 1)[0] ?? ''
}

/** The Problem for any thrown error. Messages of the database and of bugs are logged, not sent to clients. */
function problemOf(error: unknown, { method, routeOptions }: FastifyRequest): Problem {
  if (error instanceof Problem) return error
  if (error instanceof CrmError) {
    const detail = 'the database is not available at the moment'
    return new Problem(503, { code: 'unavailable', detail, headers: { 'retry-after': '5' } })
  }
  const { code, statusCode = 500 } = error as Partial<FastifyError>
  const fault = FRAMEWORK_FAULTS[code ?? '']
  if (fault) return fault(method, routeOptions.bodyLimit ?? MAX_BODY_BYTES)
  if (statusCode < 500) return new Problem(400, { code: 'malformed_request', detail: 'the request was truncated' })
  return new Problem(500, { code: 'internal', detail: 'internal error; see the log under the request id' })
}

function notAllowed(method: string, path: string, allowed: readonly string[]): Problem {
  return new Problem(405, {
    code: 'method_not_allowed',
    detail: `${path} supports ${allowed.join(' and ')}, not ${method}`,
    headers: { allow: allowed.join(', ') },
  })
}

/** RFC 9112 section 3.2: a proxy before the service may have used another one. */
function severalHosts(): Problem {
  return new Problem(400, { code: 'malformed_request', detail: 'the request has more than one Host header' })
}

function noSuchPath(path: string): Problem {
  return new Problem(404, { code: 'not_found', detail: `there is no ${path} here` })
}
