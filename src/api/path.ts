import { CrmError } from '../core/errors.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { Call } from './transport/call.ts'

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
