import { Problem } from './problem.ts'

/** The versions that a write may replace; undefined when any may. */
export type ExpectedVersions = ReadonlySet<string> | undefined

const TAGS = /^\s*(?:W\/)?(?:"[\x21\x23-\x7e]*"|\d+)(?:\s*,\s*(?:W\/)?(?:"[\x21\x23-\x7e]*"|\d+))*\s*$/

/** RFC 9110 section 13.1.1. A weak tag never matches; a bare version number is accepted as a tag. */
export function readIfMatch(header: string | undefined): ExpectedVersions {
  if (header === undefined || header.trim() === '*') return undefined
  if (!TAGS.test(header)) {
    throw new Problem(400, { code: 'invalid_header', detail: 'If-Match: expected entity tags such as "3", or *' })
  }
  return new Set(header.split(',').map((tag) => tag.trim().replaceAll('"', '')))
}

export function requireVersion(expected: ExpectedVersions, version: number): void {
  if (!expected || expected.has(`${version}`)) return
  const wanted = [...expected].join(' or ').slice(0, 80)
  throw new Problem(412, {
    code: 'precondition_failed',
    detail: `If-Match expects version ${wanted}, but the record is at version ${version}`,
    headers: { etag: `"${version}"` },
  })
}
