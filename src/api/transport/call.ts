import type { Limit } from '../../connector/document.ts'
import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import { type GivenParent, type ParentRecord, parentRecord } from '../../core/resources/parents.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { Credentials, ErrorRules } from '../connectors/server-rules.ts'
import { oneLine } from '../errors/one-line.ts'

/** One request to the server, which may take several tries. */
export interface Call {
  readonly method: Method
  /** From `/v1` on, encoded. */
  readonly path: string
  /** A list is a parameter that is repeated. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  /** Replaces the path of the server's address, to which `path` is relative. */
  readonly base?: string
  /** Path and query from the origin, encoded, as a server stated them; replaces `path` and `query`. */
  readonly address?: string
  readonly body?: JsonObject
  /** Replaces `body`; sent unchanged. */
  readonly bytes?: Buffer
  /** Alternating names and values; they replace crm's headers with the same name. */
  readonly headers?: readonly string[]
  /** What refusals of this server mean. */
  readonly errors?: ErrorRules
  /** For hints, of a create by a connector with fields: what to look at if the server misses a member. `isDrafted`: also if it names none. */
  readonly fieldsHint?: { readonly text: string; readonly isDrafted: boolean }
  /** A 2xx that states a refusal at its top is one. */
  readonly isJudged?: true
  /** A POST that changes nothing: it needs no idempotency key, and is never in doubt. */
  readonly isRead?: true
  /** A POST that can be repeated without a second effect. */
  readonly isRepeatable?: true
  /** For hints: the command line that shows the created record. */
  readonly lookCommand?: string
  /** The part of the server's rate limit that it may use, above 0; the rest is for others. All of it without. */
  readonly rateShare?: number
  /** Of this request, beside those of the connector. */
  readonly limits?: readonly Limit[]
  /** Not retried in an outage. */
  readonly isProbe?: true
  /** The answer may be of any type, and its bytes are kept. */
  readonly isAnyTypeTaken?: true
  readonly idempotencyKey?: string | undefined
  readonly ifMatch?: string | undefined
  readonly isIdNeeded?: boolean | undefined
  /** Aborts this call; the signal of the client aborts all. */
  readonly signal?: AbortSignal | undefined
  /** A sent try is not aborted when the client ends; the next one is not begun. */
  readonly isLetFinish?: boolean | undefined
  /** The id of the changed record. */
  readonly recordId?: string
  /** For messages, after "cannot": `update contact con_1`. */
  readonly action: string
  /** For hints: the command line that does this. */
  readonly command: string
  /** For hints: the command line that finds the ids in the path; undefined without ids. */
  readonly findCommand: string | undefined
  /** For hints: the command line that shows the current record. */
  readonly showCommand?: string
}

/** The start of the message of every error about a call; ids in it may contain any character. */
export function cannot(call: Pick<Call, 'action'>): string {
  return `cannot ${oneLine(call.action, 200)}`
}

export function isWrite({ method, isRead }: Pick<Call, 'method' | 'isRead'>): boolean {
  return method !== 'GET' && method !== 'HEAD' && !isRead
}

/** Whether a repetition makes another record, unless the server keeps the key. */
export function makesAnother({ method, isRead, isRepeatable }: Call): boolean {
  return method === 'POST' && !isRead && !isRepeatable
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** CrmError `invalid_input` for ids that no encoding makes safe in a path, such as `..`. */
export function checkId(id: string, resource: Resource): string {
  // RFC 3986 section 5.2.4 removes dot segments.
  // JavaScript callers may pass undefined.
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..' && id.isWellFormed()) return id
  const { singular, plural } = RESOURCES[resource]
  throw new CrmError('invalid_input', `${JSON.stringify(id)} is not the id of a ${singular}`, {
    hint: `crm ${plural} list`,
  })
}

/** The path of the collection of a resource, or of those of one parent; parentOfPath reads it. */
export function collectionPath(resource: Resource, given?: GivenParent): string {
  const { path, parent, plural }: ResourceDefinition = RESOURCES[resource]
  if (parent === undefined) return path
  const { of, id } = parentRecord(resource, given) ?? { of: parent, id: '' }
  const template = of === parent ? path : `${RESOURCES[of].path}/{id}/${plural}`
  return template.replace('{id}', () => encodeURIComponent(checkId(id, of)))
}

/** The parent in the path of a collection; undefined for a record that belongs to no other, and in the path of one record. */
export function parentOfPath(resource: Resource, path: string): ParentRecord | undefined {
  const { parent, plural }: ResourceDefinition = RESOURCES[resource]
  const [, start, id, end] = (parent && /^(.*)\/([^/]+)\/([^/]+)$/.exec(path)) ?? []
  const of = (Object.keys(RESOURCES) as Resource[]).find((each) => RESOURCES[each].path === start)
  return of === undefined || id === undefined || end !== plural ? undefined : { of, id: decodeURIComponent(id) }
}

export function pathOfRecord(resource: Resource, id: string): string {
  const { path, recordPath: template = `${path}/{id}` }: ResourceDefinition = RESOURCES[resource]
  return template.replace('{id}', () => encodeURIComponent(checkId(id, resource)))
}

/** Path and query of a call, below the path of `baseUrl` unless the call has an `address`. */
export function addressOfCall(baseUrl: URL, call: Pick<Call, 'path' | 'query' | 'base' | 'address'>): string {
  const base = call.base ?? baseUrl.pathname
  return call.address ?? base.replace(/\/+$/, '') + pathWithQuery(call.path, call.query)
}

/** An address with the parameters of the credentials, which no message shows. */
export function withCredentials(address: string, { query }: Pick<Credentials, 'query'>): string {
  if (query.length === 0) return address
  const url = new URL(address, 'http://origin.invalid')
  for (const [name, value] of query) url.searchParams.set(name, value)
  return url.pathname + url.search
}

function pathWithQuery(path: string, query: Call['query']): string {
  if (query === undefined) return path
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((each): [string, string] => [name, each]),
  )
  const text = new URLSearchParams(pairs).toString()
  return text === '' ? path : `${path}?${text}`
}
