import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { oneLine } from '../errors/one-line.ts'

/** One request to the server, which may take several tries. */
export interface Call {
  readonly method: Method
  /** From `/v1` on, encoded: see path.ts. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Path and query from the origin, encoded, as a server stated them; replaces `path` and `query`. */
  readonly address?: string
  readonly body?: JsonObject
  /** Replaces `body`; sent unchanged. */
  readonly bytes?: Buffer
  /** Alternating names and values; they replace crm's headers with the same name. */
  readonly headers?: readonly string[]
  /** A POST that changes nothing: it needs no idempotency key, and is never in doubt. */
  readonly isRead?: true
  /** A POST that can be repeated without a second effect. */
  readonly isRepeatable?: true
  /** For hints: the command line that shows the created record. */
  readonly lookCommand?: string
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

/** An id as one path segment. Throws on ids that no encoding makes safe, such as `..`. */
export function encodeSegment(id: string, kind: string, findCommand: string): string {
  // RFC 3986 section 5.2.4 removes dot segments.
  // JavaScript callers may pass undefined.
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..' || !id.isWellFormed()) {
    throw new CrmError('invalid_input', `${JSON.stringify(id)} is not the id of a ${kind}`, {
      hint: findCommand,
    })
  }
  return encodeURIComponent(id)
}

/** The path of the collection of a resource, or of those of one parent. */
export function collectionPath(resource: Resource, parentId = ''): string {
  const { path, parent }: ResourceDefinition = RESOURCES[resource]
  if (parent === undefined) return path
  return path.replace('{id}', () => encodeSegment(parentId, parent, `crm ${RESOURCES[parent].plural} list`))
}

export function recordPath(resource: Resource, id: string): string {
  const { path, plural, singular } = RESOURCES[resource]
  return `${path}/${encodeSegment(id, singular, `crm ${plural} list`)}`
}

/** Path and query of a call, below the path of `baseUrl` unless the call has an `address`. */
export function addressOfCall(baseUrl: URL, call: Pick<Call, 'path' | 'query' | 'address'>): string {
  return call.address ?? baseUrl.pathname.replace(/\/+$/, '') + pathWithQuery(call.path, call.query)
}

function pathWithQuery(path: string, query: Readonly<Record<string, string>> | undefined): string {
  if (query === undefined) return path
  const text = new URLSearchParams(query).toString()
  return text === '' ? path : `${path}?${text}`
}
