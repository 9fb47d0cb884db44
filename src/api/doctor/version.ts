import { oneLine } from '../errors/one-line.ts'
import { readRetirement } from '../transport/retirement.ts'
import type { Finding } from './finding.ts'
import type { Sample } from './probe.ts'

/** Versions of programs on the way (`x-varnish-version`) say nothing of the interface. */
const VERSION_HEADER = /^(?:x-)?(?:api-(?:supported-)?versions?|(?:stripe|github-api|salesforce)-version|version)$/

/** What the answers say of the version of the interface, and of its end. */
export function versionFinding(samples: readonly Sample[]): Finding {
  const check = 'version'
  const all = samples.map(({ headers }) => headers)
  const named = all.flatMap((headers) => Object.entries(headers).filter(([name]) => VERSION_HEADER.test(name)))
  const versions = Object.fromEntries(named.map(([name, value]) => [name, oneLine(String(value), 60)]))
  const retirement = all.map(readRetirement).find((told) => told !== undefined)
  const told = Object.entries(versions).map(([name, value]) => `${name}: ${value}`)
  const seen = ['v1 in the path', ...told, retirement ?? 'no answer says that it goes away'].join('; ')
  const found = { path: 'v1', headers: versions, retirement: retirement ?? null }
  if (retirement === undefined) return { check, state: 'ok', seen, found }
  return { check, state: 'warn', seen, found, hint: 'ask whoever runs the server what comes after it' }
}
