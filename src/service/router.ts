import { OBJECTS_PATH } from '../core/resources/registry.ts'
import { Problem } from './problem.ts'
import type { Route } from './route.ts'

/** The routes of a path, by their methods. */
interface Found {
  readonly routes: ReadonlyMap<string, Route>
  /** The ids in the path, in its order. */
  readonly ids: readonly string[]
}

interface Template {
  readonly pattern: RegExp
  readonly routes: Found['routes']
}

const MAX_ID_CHARS = 256

/** A segment of a path that stands for an id. */
export const PATH_ID = /:\w+/g

/** Throws a Problem for a path or a method that no route has. */
export type Router = (method: string, path: string) => { readonly route: Route; readonly ids: readonly string[] }

export function openRouter(routes: readonly Route[]): Router {
  const fixed = new Map<string, Found>()
  const templates: Template[] = []
  for (const [path, group] of Map.groupBy(routes, (route) => route.path)) {
    const byMethod = new Map(group.map((route) => [route.method, route]))
    if (!path.includes(':')) fixed.set(path, { routes: byMethod, ids: [] })
    else templates.push({ pattern: new RegExp(`^${path.replaceAll(PATH_ID, '([^/]+)')}$`), routes: byMethod })
  }
  return (method, sent) => {
    const path = normalPath(sent)
    const found = fixed.get(path) ?? withId(templates, path)
    if (!found) throw nothingAt(sent)
    const route = found.routes.get(method)
    if (!route) throw notAllowed(method, sent, [...found.routes.keys()])
    return { route, ids: found.ids }
  }
}

function withId(templates: readonly Template[], path: string): Found | undefined {
  for (const { pattern, routes } of templates) {
    const texts = pattern.exec(path)?.slice(1)
    if (!texts) continue
    const ids = texts.map((text) => decodeURIComponent(text))
    if (ids.some(({ length }) => length > MAX_ID_CHARS)) throw new Problem(404, 'not_found', 'the id is too long')
    return { routes, ids }
  }
  return undefined
}

/** Letters, digits, dash, dot, underscore and tilde in percent-encoding: the same path (RFC 3986 section 6.2.2.2). */
const UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57]\d|[57]a|5f|7e)/gi

function normalPath(path: string): string {
  if (!path.startsWith('/')) throw malformedUrl()
  if (!path.includes('%')) return path
  try {
    decodeURIComponent(path)
  } catch {
    throw malformedUrl()
  }
  return path.replace(UNRESERVED, decodeURIComponent)
}

function malformedUrl(): Problem {
  return new Problem(400, 'malformed_url', 'the path is not percent-encoded UTF-8')
}

function nothingAt(path: string): Problem {
  const more = path.startsWith('/v1/') ? `; GET ${OBJECTS_PATH} lists the objects and their paths` : ''
  return new Problem(404, 'not_found', `there is no ${path} here${more}`)
}

function notAllowed(method: string, path: string, allowed: readonly string[]): Problem {
  return new Problem(405, 'method_not_allowed', `${path} supports ${allowed.join(' and ')}, not ${method}`, {
    headers: { allow: allowed.join(', ') },
  })
}
