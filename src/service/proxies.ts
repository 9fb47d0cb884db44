import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isPathPrefix } from '../core/http-rules.ts'

/** Reverse proxies whose headers about the client are believed, and the path that they put before that of the service. */
export interface Proxies {
  readonly trusts: (address: string) => boolean
  /** Empty, or `/crm`: where the service is for its clients. */
  readonly basePath: string
}

export const NO_PROXIES: Proxies = { trusts: () => false, basePath: '' }

/** The address of the request within the service: one below the base path, or without it, as probes use it. */
export function ownUrl(url: string, { basePath }: Pick<Proxies, 'basePath'>): string {
  if (basePath === '' || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url
}

/** What a client puts before the paths of the service: a trusted proxy may say so with `X-Forwarded-Prefix`. */
export function prefixFor({ headers, socket }: IncomingMessage, { trusts, basePath }: Proxies): string {
  const given = headers['x-forwarded-prefix']
  if (typeof given !== 'string' || !trusts(socket.remoteAddress ?? '')) return basePath
  const prefix = given.replace(/\/$/, '')
  return prefix === '' || isPathPrefix(prefix) ? prefix : basePath
}

/** `https://crm.example`, where a trusted proxy says which scheme the client used; or nothing. */
export function originFor({ headers, socket }: IncomingMessage, { trusts }: Proxies): string {
  const { host = '' } = headers
  const given = headers['x-forwarded-proto'] ?? /(?:^|[;,\s])proto="?(\w+)/i.exec(headers.forwarded ?? '')?.[1]
  const scheme = String(given).toLowerCase()
  if ((scheme !== 'http' && scheme !== 'https') || !trusts(socket.remoteAddress ?? '')) return ''
  return isHost(host) ? `${scheme}://${host}` : ''
}

function isHost(text: string): boolean {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(text)
}

/** The address of the client: the one nearest to the service that no trusted proxy has. Undefined once the connection is closed. */
export function clientAddress(
  { headers, socket }: IncomingMessage,
  { trusts }: Pick<Proxies, 'trusts'>,
): string | undefined {
  let address = socket.remoteAddress
  if (address === undefined || !trusts(address)) return address
  for (const next of forwardedFor(headers).reverse()) {
    address = next
    if (!trusts(address)) return address
  }
  return address
}

/** The addresses in `X-Forwarded-For`, or in `Forwarded` (RFC 7239) without identifiers that are no address. */
function forwardedFor({ forwarded = '', 'x-forwarded-for': list }: IncomingMessage['headers']): string[] {
  if (list !== undefined)
    return String(list)
      .split(',')
      .map((each) => each.trim())
  const named = [...forwarded.matchAll(/(?:^|[;,])\s*for=(?:"([^"]*)"|([^;,\s]+))/gi)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  )
  const addresses = named.map((name) =>
    name.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1'),
  )
  return addresses.filter((address) => isIP(address) !== 0)
}
