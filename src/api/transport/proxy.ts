import { CrmError } from '../../core/errors.ts'
import { isLoopback } from '../../core/http-rules.ts'
import type { Env } from '../../core/streams.ts'
import type { ApiOptions } from '../options.ts'

export interface WebProxy {
  readonly url: URL
  /** The variable that names it. */
  readonly variable: string
}

/** What lies between crm and a server, and what it trusts. */
interface Route {
  readonly proxy: WebProxy | undefined
  /** The file of SSL_CERT_FILE. */
  readonly authorityFile: string | undefined
}

export function routeTo({ baseUrl, env = {} }: Pick<ApiOptions, 'baseUrl' | 'env'>): Route {
  return {
    proxy: chooseProxy(baseUrl, env),
    authorityFile: (baseUrl.protocol === 'https:' && env.SSL_CERT_FILE) || undefined,
  }
}

/** A failure of a proxy; `reason` is a clause. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
  readonly variable: string

  constructor(proxy: WebProxy, reason: string, cause?: unknown) {
    super(reason, { cause })
    this.variable = proxy.variable
  }
}

/**
 * The proxy for connections to `target`: HTTPS_PROXY unless NO_PROXY contains the host; lower case first, like curl. None
 * for this machine, and none for plain http, because a proxy could read the key.
 */
export function chooseProxy(target: URL, env: Env): WebProxy | undefined {
  if (target.protocol !== 'https:' || isLoopback(target.hostname)) return undefined
  const variable = ['https_proxy', 'HTTPS_PROXY'].find((name) => env[name])
  if (variable === undefined || isExempt(target, env.no_proxy || env.NO_PROXY || '')) return undefined
  return { url: parseProxy(env[variable] ?? '', variable), variable }
}

/** Host names with their subdomains, `host:port`, addresses, or `*` for all; separated by commas or spaces. */
function isExempt(target: URL, list: string): boolean {
  const host = plainHost(target.hostname)
  const port = target.port || '443'
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true
    // An IPv6 address with a port is in brackets.
    const [, name = entry, entryPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? []
    const wanted = plainHost(name.replace(/^\*?\./, ''))
    if (wanted === '' || (entryPort !== undefined && entryPort !== port)) return false
    return host === wanted || host.endsWith(`.${wanted}`)
  })
}

function plainHost(name: string): string {
  return name.replace(/^\[|\]$|\.$/g, '').toLowerCase()
}

/** The text is never shown: it may hold a password. */
function parseProxy(text: string, variable: string): URL {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  if (url?.hostname && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  const named = url?.hostname ? `a ${url.protocol.replace(':', '')} proxy` : 'an invalid address'
  throw new CrmError('invalid_input', `${variable} names ${named}, expected http://host:port`, {
    hint: `correct it, or unset it: unset ${variable}`,
  })
}
