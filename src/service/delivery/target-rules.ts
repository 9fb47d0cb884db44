import { lookup } from 'node:dns'
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net'

/** Not globally reachable by the special-purpose registries of IANA (RFC 6890), with multicast and reserved ranges. */
const CLOSED_IPV4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

/** Parts of 2000::/3 that are not global unicast, or embed an IPv4 address (Teredo, 6to4). */
const CLOSED_IPV6: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

export type TargetRule = (address: string) => boolean

/** The IP address in a URL; undefined when it contains a host name. */
export function literalAddress({ hostname }: URL): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, '')
  return isIP(address) ? address : undefined
}

export function targetRule(allowsPrivateTargets: boolean): TargetRule {
  return allowsPrivateTargets ? () => true : publicTargets()
}

/**
 * Whether an address is public. Everything outside of global unicast is not: loopback, link-local, unique-local, and mapped
 * or translated forms of an IPv4 address.
 */
export function publicTargets(): TargetRule {
  const closed = new BlockList()
  for (const [net, prefix] of CLOSED_IPV4) closed.addSubnet(net, prefix, 'ipv4')
  for (const [net, prefix] of CLOSED_IPV6) closed.addSubnet(net, prefix, 'ipv6')
  const global = new BlockList()
  global.addSubnet('2000::', 3, 'ipv6')
  return (address) => {
    if (isIPv4(address)) return !closed.check(address, 'ipv4')
    return global.check(address, 'ipv6') && !closed.check(address, 'ipv6')
  }
}

/** Names the host as the subscriber wrote it, without the address it resolves to in the network of the service. */
export function refusedTarget(host: string): Error {
  return new Error(`${host} is not a public address; this service delivers only to public addresses`)
}

/**
 * Resolves a name once and returns only allowed addresses, so that the connection uses a checked address even if the name
 * changes afterwards.
 */
export function checkedLookup(isAllowed: TargetRule): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const allowed = found.filter(({ address }) => isAllowed(address))
      const [first] = allowed
      if (!first) return callback(refusedTarget(hostname), [])
      if (options.all) return callback(null, allowed)
      return callback(null, first.address, first.family)
    })
  }
}
