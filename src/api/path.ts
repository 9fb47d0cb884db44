import { CrmError } from '../core/errors.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { Call } from './transport/call.ts'

/** An id as one path segment, so that no id can name another path; throws on ids that no encoding makes safe. */
export function encodeSegment(id: string, kind: string, findCommand: string): string {
  // RFC 3986 section 5.2.4 removes dot segments, however they were meant.
  // Programs in JavaScript pass undefined on.
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..' || !id.isWellFormed()) {
    throw new CrmError('invalid_input', `${JSON.stringify(id)} is not the id of a ${kind}`, {
      hint: findCommand,
    })
  }
  return encodeURIComponent(id)
}

/** Where the records of a resource are made and listed; those that have a parent, of that one. */
export function collectionPath(resource: Resource, parentId = ''): string {
  const { path, parent }: ResourceDefinition = RESOURCES[resource]
  if (parent === undefined) return path
  return path.replace('{id}', () => encodeSegment(parentId, parent, `crm ${RESOURCES[parent].plural} list`))
}

export function recordPath(resource: Resource, id: string): string {
  const { path, plural, singular } = RESOURCES[resource]
  return `${path}/${encodeSegment(id, singular, `crm ${plural} list`)}`
}

/** Path and query of a call on the origin of `baseUrl`, whose own path stays in front of all but whole addresses. */
export function addressOfCall(baseUrl: URL, call: Pick<Call, 'path' | 'query' | 'address'>): string {
  return call.address ?? baseUrl.pathname.replace(/\/+$/, '') + pathWithQuery(call.path, call.query)
}

function pathWithQuery(path: string, query: Readonly<Record<string, string>> | undefined): string {
  if (query === undefined) return path
  const text = new URLSearchParams(query).toString()
  return text === '' ? path : `${path}?${text}`
}
