/**
 * What the client meets behind the proxy. `keeps-keys`: the service itself. `forgets`: it ignores idempotency keys, and its
 * list shows what it has. `blind`: it ignores them, and its list is always empty.
 */
export const SERVER_KINDS = ['keeps-keys', 'forgets', 'blind'] as const

export type ServerKind = (typeof SERVER_KINDS)[number]

type Named = NodeJS.Dict<string | string[]>

interface Asked {
  readonly method: string
  readonly path: string
}

const KEY_HEADER = 'idempotency-key'
/** What shows that a server keeps keys. */
const SHOWN_IN = ['idempotency-policy', 'idempotent-replayed']

/** What a server of this kind answers without the service; undefined: it asks that. */
export function ownAnswer(kind: ServerKind, { method, path }: Asked): { status: number; text: string } | undefined {
  if (kind === 'keeps-keys' || method !== 'GET') return undefined
  // The document of the service says that it keeps keys.
  if (path.includes('openapi')) return { status: 404, text: '{}' }
  return kind === 'blind' ? { status: 200, text: '{"data":[],"next_cursor":null,"has_more":false}' } : undefined
}

/** The headers of a request as they reach the service. */
export function passedOn<Headers extends Named>(kind: ServerKind, headers: Headers): Headers {
  return kind === 'keeps-keys' ? headers : without(headers, [KEY_HEADER])
}

/** The headers of an answer as the client sees them. */
export function shown<Headers extends Named>(kind: ServerKind, headers: Headers): Headers {
  return kind === 'keeps-keys' ? headers : without(headers, SHOWN_IN)
}

function without<Headers extends Named>(headers: Headers, names: readonly string[]): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))) as Headers
}
