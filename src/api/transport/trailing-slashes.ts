import type { Connections } from './connections.ts'
import type { ExchangeLimits, Outgoing, Reply } from './exchange.ts'

/** RFC 9110 sections 15.4.2 and 15.4.9: permanent. Other redirects do not mean that the address is wrong. */
const PERMANENT = [301, 308]

/** Django with DEBUG: the answer to a write instead of a redirect; the server applied nothing. */
const DJANGO_REFUSAL = 'end in a slash and you have APPEND_SLASH set'

/**
 * Learns which paths of a server end in a slash. A redirect on the same origin that only adds or removes the slash is
 * followed with the same method and body, and remembered for all records of the same kind.
 */
export class TrailingSlashes {
  readonly #base: URL
  /** By the pattern of a path. */
  readonly #known = new Map<string, boolean>()

  constructor(base: URL) {
    this.#base = base
  }

  async exchange(transport: Pick<Connections, 'exchange'>, outgoing: Outgoing, limits: ExchangeLimits): Promise<Reply> {
    const first = { ...outgoing, path: this.#applied(outgoing.path) }
    const reply = await transport.exchange(first, limits)
    const path = this.#otherPath(first.path, reply)
    if (path === undefined) return reply
    const second = await transport.exchange({ ...first, path }, limits)
    if (second.status < 300 || second.status > 399) {
      this.#known.set(this.#patternOf(path), (path.split('?')[0] ?? '').endsWith('/'))
    }
    return this.#otherPath(path, second) === undefined ? second : { ...second, isSlashLoop: true }
  }

  #applied(path: string): string {
    if (this.#known.size === 0) return path
    const isSlashed = this.#known.get(this.#patternOf(path))
    return isSlashed === undefined ? path : withSlash(path, isSlashed)
  }

  #otherPath(path: string, { status, headers, body }: Reply): string | undefined {
    if (status === 500 && body.length < 1_000_000 && body.includes(DJANGO_REFUSAL)) return withSlash(path, true)
    if (!PERMANENT.includes(status) || headers.location === undefined) return undefined
    const target = URL.parse(headers.location, new URL(path, this.#base.origin).href)
    if (target?.origin !== this.#base.origin) return undefined
    const found = target.pathname + target.search
    return found !== path && withSlash(found, false) === withSlash(path, false) ? found : undefined
  }

  /** `/v1/contacts/*` for `/v1/contacts/con_1`: below the base path, every second segment after the first two is an id. */
  #patternOf(path: string): string {
    const prefix = this.#base.pathname.replace(/\/+$/, '')
    const [only = ''] = path.split('?')
    const steps = only.slice(only.startsWith(`${prefix}/`) ? prefix.length : 0).split('/')
    // Without the empty segments before the first slash and after the last.
    return steps
      .filter((step) => step !== '')
      .map((step, at) => (at >= 2 && at % 2 === 0 ? '*' : step))
      .join('/')
  }
}

function withSlash(path: string, isSlashed: boolean): string {
  const [only = '', query] = path.split(/\?(.*)/s)
  const bare = only.replace(/\/$/, '')
  return `${bare}${isSlashed || bare === '' ? '/' : ''}${query === undefined ? '' : `?${query}`}`
}
