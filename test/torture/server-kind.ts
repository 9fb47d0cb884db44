/**
 * What the client meets behind the proxy. `keeps-keys`: the service as it is. `forgets`: it ignores idempotency keys, and its
 * list shows what it has. `blind`: it ignores them, and has no list.
 */
export const SERVER_KINDS = ['keeps-keys', 'forgets', 'blind'] as const

export type ServerKind = (typeof SERVER_KINDS)[number]

const KEY_HEADER = 'idempotency-key'
/** What shows that a server keeps keys. */
const SHOWN_IN = ['idempotency-policy', 'idempotent-replayed']

/** The request as it reaches the service; undefined: the path is not there. */
export function passedOn<Request extends { readonly path: string; readonly headers: NodeJS.Dict<string | string[]> }>(
  kind: ServerKind,
  request: Request & { readonly method: string },
): (Request & { readonly method: string }) | undefined {
  if (kind === 'keeps-keys') return request
  const isList = request.method === 'GET' && request.path.startsWith('/v1/contacts')
  // The document of the service says that it keeps keys.
  if (request.path.includes('openapi') || (kind === 'blind' && isList)) return undefined
  return { ...request, headers: without(request.headers, [KEY_HEADER]) }
}

export function shown<Headers extends NodeJS.Dict<string | string[]>>(kind: ServerKind, headers: Headers): Headers {
  return kind === 'keeps-keys' ? headers : without(headers, SHOWN_IN)
}

function without<Headers extends NodeJS.Dict<string | string[]>>(headers: Headers, names: readonly string[]): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))) as Headers
}
