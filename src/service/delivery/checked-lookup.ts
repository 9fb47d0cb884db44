import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { TargetRule } from './target-rules.ts'

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
