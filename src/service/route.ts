import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { JsonSchema } from '../core/json.ts'
import { type JsonNode, JsonTextError, type Members, parseSentJson } from './json-text.ts'
import { invalidValue, Problem, quotedValue } from './problem.ts'
import type { Author } from './store/history.ts'
import type { ApiKey, KeyScope, Store, StoreWrite } from './store/store.ts'

/** draft-ietf-httpapi-idempotency-key-header makes it a quoted string (RFC 9651); most clients send it bare. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/

/** An admitted request: key, scope, rate and parameter names are checked. */
export interface RouteCall {
  /** Repeated in responses and problems. */
  readonly requestId: string
  /** Undefined on a public route. */
  readonly key: ApiKey | undefined
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  /** The normalised path, for links and cursors. */
  readonly path: string
  /** What the client puts before the path, such as `/crm`; often empty. */
  readonly prefix: string
  /** The scheme and host that a trusted proxy states, or nothing. */
  readonly origin: string
  /** The `:id` of the path; empty when the path has none. */
  readonly id: string
  /** The id after it, such as that of an event; empty when the path has none. */
  readonly innerId: string
  /** Only parameters of the route, each once. */
  readonly query: Readonly<Record<string, string | undefined>>
  readonly headers: IncomingHttpHeaders
  /** Undefined when no body was sent. */
  readonly body: Buffer | undefined
}

export interface AuditedAction {
  readonly name: string
  /** May be true for a successful reply, as in GraphQL. */
  readonly isRefused: boolean
}

export interface RouteReply {
  readonly status: number
  /** JSON text, or empty. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** Media type of the body; JSON by default. */
  readonly type?: string
  /** Actions for the audit of the key, where method and path do not describe them. */
  readonly actions?: readonly AuditedAction[]
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Undefined: public. `any`: the route checks the scopes of the key itself. */
  readonly scope: KeyScope | 'any' | undefined
  /** Requests that need no key on a route that otherwise does. */
  readonly needsNoKey?: (headers: IncomingHttpHeaders, query: Readonly<Record<string, unknown>>) => boolean
  /** Undefined: 1 MiB. */
  readonly maxBodyBytes?: number
  /** The known query parameters; any other is rejected. */
  readonly parameters: readonly string[]
  /** Throws a Problem for every response that is not a success. */
  handle(store: Store, call: RouteCall): Promise<RouteReply>
  /** The rest is for the OpenAPI document: `operationId: Summary. Description.` Undefined: the route is not in it. */
  readonly text?: string
  /** The name of the schema of the body. */
  readonly body?: string
  /** The schema is that of one item where the route has pages. */
  readonly success?: readonly [status: number, what: string, schema?: string | JsonSchema, ...headers: string[]]
  /** Statuses besides those of every route with its method, scope and path. */
  readonly problems?: readonly string[]
  /** It writes a record or an event: with Idempotency-Key, Crm-Job, and If-Match where a record is replaced. */
  readonly isWrite?: boolean
  /** What the id in its path names need not exist. */
  readonly isForNew?: true
  /** Parameters of this route alone. */
  readonly query?: readonly Readonly<Record<string, unknown>>[]
}

/** A route. Reading needs the scope `read`, all else `write`; the path has ids as the OpenAPI document writes them, `{id}`. */
export function route(request: `${Route['method']} ${string}`, parts: Pick<Route, 'handle'> & Partial<Route>): Route {
  const [method, path = ''] = request.split(' ') as [Route['method'], string]
  const scope = method === 'GET' ? 'read' : 'write'
  return { method, path: path.replaceAll(/\{(\w+)\}/g, ':$1'), scope, parameters: [], ...parts }
}

/** The pattern of `Crm-Job`, also for the document. */
export const JOB_PATTERN = '^[A-Za-z0-9._:-]{1,128}$'

const JOB = new RegExp(JOB_PATTERN)

/** Who sends the request, for the history. Throws a Problem for a `Crm-Job` that is no name of a job. */
export function readAuthor({ key, requestId, headers }: RouteCall): Author {
  const job = headers['crm-job']
  if (job !== undefined && !JOB.test(`${job}`)) {
    const expected = 'expected 1 to 128 letters, digits, dots, colons, dashes and underscores'
    throw new Problem(400, 'invalid_header', `Crm-Job: ${expected}`)
  }
  return { keyId: key?.id, job: job === undefined ? undefined : `${job}`, requestId }
}

export function readIdempotency(call: RouteCall): StoreWrite['idempotency'] {
  const header = call.headers['idempotency-key']
  if (header === undefined) return undefined
  const key = readKey(`${header}`)
  if (key === undefined || key.length < 1 || key.length > 255) {
    const expected = 'expected 1 to 255 printable ASCII characters, bare or in double quotes'
    throw new Problem(400, 'invalid_idempotency_key', `Idempotency-Key: ${expected}`)
  }
  return { key, fingerprint: fingerprint(call) }
}

function readKey(header: string): string | undefined {
  if (header.startsWith('"')) return QUOTED.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1')
  return /^[\x20-\x7e]*$/.test(header) ? header : undefined
}

/** Identifies a request: method, path, query and the bytes of the body. */
function fingerprint(call: RouteCall): string {
  const line = Buffer.from(`${call.method} ${call.url}\n`)
  // In one call, which takes a third of the time of a Hash object.
  return hash('sha256', call.body ? Buffer.concat([line, call.body]) : line, 'base64url')
}

const JSON_TYPE = 'application/json'

/** A PATCH is a merge patch with either type. */
const PATCH_TYPES = ['application/merge-patch+json', JSON_TYPE]

/** The JSON object in the body of a POST or PATCH. */
export function readBody(call: RouteCall): Members {
  if (!call.body?.length) throw new Problem(400, 'body_required', 'expected a JSON object as the body')
  if (!isSupported(call)) throw unsupportedType(call.method)
  if (!isUtf8(call.body)) throw new Problem(400, 'malformed_body', 'the body is not UTF-8')
  const node = parseBodyText(call.body.toString('utf8'))
  if (typeof node !== 'string') return node
  throw invalidValue('#', 'wrong_type', `expected an object, got ${quotedValue(node)}`)
}

function unsupportedType(method: string): Problem {
  return new Problem(
    415,
    'unsupported_media_type',
    `expected Content-Type: ${typesFor(method).join(' or ')}, in UTF-8 and not compressed`,
    method === 'PATCH' ? { headers: { 'accept-patch': PATCH_TYPES.join(', ') } } : {},
  )
}

function typesFor(method: string): readonly string[] {
  return method === 'PATCH' ? PATCH_TYPES : [JSON_TYPE]
}

function isSupported({ method, headers }: RouteCall): boolean {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const charsets = parameters.filter((parameter) => /^\s*charset=/.test(parameter))
  return (
    typesFor(method).includes(type.trim()) &&
    charsets.every((parameter) => /=\s*"?utf-?8"?\s*$/.test(parameter)) &&
    (headers['content-encoding'] ?? 'identity') === 'identity'
  )
}

/** Parses JSON from a client. Throws a Problem with the position of the error. */
export function parseBodyText(text: string): JsonNode {
  try {
    return parseSentJson(text)
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error
    const detail = `the body is not valid JSON at character ${error.position}: ${error.message}`
    const code = error.fault === 'malformed' ? 'malformed_json' : error.fault
    // A number beyond the range of a double is well-formed JSON with an unsupported value.
    throw new Problem(error.fault === 'out_of_range' ? 422 : 400, code, detail, {
      errors: [{ pointer: '#', code, detail: error.message }],
    })
  }
}
