import { Problem } from './problem.ts'
import { pointer } from './resources/rules.ts'
import { type RouteCall, type RouteReply, readAuthor, readIdempotency } from './route.ts'
import type { Store, StoreWrite, WriteAnswer, WriteResult } from './store/store.ts'

/** A validated change, without its idempotency key and who makes it. */
export type CheckedWrite = Omit<StoreWrite, 'idempotency' | 'by'>

/** Performs a write once per idempotency key; repeated calls get the same answer. */
export async function write(store: Store, call: RouteCall, change: CheckedWrite): Promise<RouteReply> {
  const idempotency = call.method === 'DELETE' ? undefined : readIdempotency(call)
  const { answer, isReplayed } = await writeOnce(store, { ...change, idempotency, by: readAuthor(call) })
  return replyOf(answer, isReplayed ? { 'idempotent-replayed': 'true' } : {})
}

export async function writeOnce(
  store: Store,
  change: StoreWrite,
): Promise<{ answer: WriteAnswer; isReplayed: boolean }> {
  const result = await store.write(change)
  if (result.type === 'done') return { answer: result.answer, isReplayed: false }
  if (result.type === 'replayed') return { answer: result.answer, isReplayed: true }
  if (result.type === 'already_exists') throw alreadyExists(result)
  throw result.type === 'key_reused' ? keyReused() : keyInUse()
}

export function keyReused(): Problem {
  const detail = 'this Idempotency-Key was already used for another request; use a new one'
  return new Problem(422, 'idempotency_key_reused', detail)
}

/** draft-ietf-httpapi-idempotency-key-header, section 2.6. */
function keyInUse(): Problem {
  const detail = 'a request with this Idempotency-Key is being processed; send it again in a moment'
  return new Problem(409, 'idempotency_in_progress', detail, { headers: { 'retry-after': '1' } })
}

/** 409 with `existing_id`, the record that has the value, so that an upsert can update it without a search. HubSpot answers the same way. */
function alreadyExists({ member, existingId }: Extract<WriteResult, { type: 'already_exists' }>): Problem {
  const detail = `${existingId} already has this ${member}, which is unique`
  return new Problem(409, 'already_exists', `${member}: ${detail}`, {
    errors: [{ pointer: pointer(member), code: 'already_exists', detail }],
    extensions: { existing_id: existingId },
  })
}

function replyOf(answer: WriteAnswer, headers: Record<string, string>): RouteReply {
  if (answer.location !== undefined) headers.location = answer.location
  if (answer.etag !== undefined) headers.etag = answer.etag
  return { status: answer.status, body: answer.body, headers }
}

/** The versions that a write may replace; undefined when any may. */
export type ExpectedVersions = ReadonlySet<string> | undefined

const TAGS = /^\s*(?:W\/)?(?:"[\x21\x23-\x7e]*"|\d+)(?:\s*,\s*(?:W\/)?(?:"[\x21\x23-\x7e]*"|\d+))*\s*$/

/** RFC 9110 section 13.1.1. A weak tag never matches; a bare version number is accepted as a tag. */
export function readIfMatch(header: string | undefined): ExpectedVersions {
  if (header === undefined || header.trim() === '*') return undefined
  if (!TAGS.test(header)) {
    throw new Problem(400, 'invalid_header', 'If-Match: expected entity tags such as "3", or *')
  }
  return new Set(header.split(',').map((tag) => tag.trim().replaceAll('"', '')))
}

export function requireVersion(expected: ExpectedVersions, version: number): void {
  if (!expected || expected.has(`${version}`)) return
  const wanted = [...expected].join(' or ').slice(0, 80)
  throw new Problem(412, 'precondition_failed', `the record is at version ${version}, expected ${wanted}`, {
    headers: { etag: `"${version}"` },
  })
}
