import type { RequestOptions } from 'node:http'
import type { LookupFunction } from 'node:net'

const ADDRESSES = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
] as const

/**
 * Apps that listen on `localhost` take one of the two loopback addresses, and which one is hard to tell: both are tried,
 * that which was named first. Undefined for every other host.
 */
export function loopbackConnection({ hostname }: URL): RequestOptions | undefined {
  if (hostname !== 'localhost' && hostname !== '127.0.0.1' && hostname !== '[::1]') return undefined
  const addresses = hostname === '[::1]' ? ADDRESSES.toReversed() : [...ADDRESSES]
  const lookup: LookupFunction = (_, __, callback) => callback(null, addresses)
  // Of several addresses Node tries one after the other (`autoSelectFamily`, on by default).
  return { hostname: 'localhost', lookup }
}
