import { type LookupAddress, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { TargetRule } from './target-rules.ts'

export function refusedTarget(host: string, addresses: readonly string[]): Error {
  const where = addresses.length === 1 && addresses[0] === host ? host : `${host} (${addresses.join(', ')})`
  return new Error(`${where} is not a public address, and this service delivers to those alone`)
}

/**
 * Resolves a name once and hands over the allowed addresses alone: the connection goes to one that was checked, whatever
 * the name says a moment later.
 */
export function checkedLookup(isAllowed: TargetRule): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const allowed = found.filter(({ address }) => isAllowed(address))
      const [first] = allowed
      if (!first) return callback(refusedTarget(hostname, addressesOf(found)), [])
      if (options.all) return callback(null, allowed)
      return callback(null, first.address, first.family)
    })
  }
}

function addressesOf(found: readonly LookupAddress[]): readonly string[] {
  return found.map(({ address }) => address)
}
