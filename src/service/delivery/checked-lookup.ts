import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { TargetRule } from './target-rules.ts'

/** It names what the subscriber wrote: what a name stands for in the network of the service is not for them. */
export function refusedTarget(host: string): Error {
  return new Error(`${host} is not a public address, and this service delivers to those alone`)
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
      if (!first) return callback(refusedTarget(hostname), [])
      if (options.all) return callback(null, allowed)
      return callback(null, first.address, first.family)
    })
  }
}
