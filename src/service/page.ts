import { decodeId, type IdKind } from '../core/ids.ts'
import { decodeCursor, encodeCursor, filterText, unknownCursor } from './cursor.ts'
import { badParameter } from './problem.ts'
import type { Call, Reply } from './route.ts'
import { shownText } from './shown.ts'
import type { JoinedPage, PageQuery, TextPage } from './store/store.ts'

export const PAGE_PARAMETERS = ['limit', 'cursor'] as const

export const LIMIT = { smallest: 1, usual: 50, largest: 500 }

export function readPage(call: Call, kind: IdKind): PageQuery {
  const { olderThanId, limit } = readPlace(call)
  // The mark of a cursor is not secret, so a client can construct one for any id.
  if (olderThanId !== undefined && decodeId(kind, olderThanId) === undefined)
    throw unknownCursor(call.query.cursor ?? '')
  return { olderThanId, limit }
}

/** For lists with ids of no kind: the cursor may contain any id. */
export function readPlace(call: Call): PageQuery {
  const { cursor } = call.query
  return {
    limit: readLimit(call.query.limit),
    olderThanId: cursor === undefined ? undefined : decodeCursor(cursor, filterText(call.path, call.query)),
  }
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return LIMIT.usual
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (limit >= LIMIT.smallest && limit <= LIMIT.largest) return limit
  const expected = `expected a whole number from ${LIMIT.smallest} to ${LIMIT.largest}`
  throw badParameter('limit', 'invalid_limit', `${expected}, got ${shownText(text)}`)
}

/** The reply with a page. Stored texts are joined without parsing. */
export function pageReply(call: Call, { texts, nextOlderThanId }: TextPage): Reply {
  return joinedPageReply(call, { text: texts.join(','), nextOlderThanId })
}

export function joinedPageReply(call: Call, { text, nextOlderThanId }: JoinedPage): Reply {
  if (nextOlderThanId === undefined) {
    return { status: 200, body: `{"data":[${text}],"next_cursor":null,"has_more":false}`, headers: {} }
  }
  const next = encodeCursor(nextOlderThanId, filterText(call.path, call.query))
  return {
    status: 200,
    body: `{"data":[${text}],"next_cursor":"${next}","has_more":true}`,
    headers: { link: `<${nextUrl(call, next)}>; rel="next"` },
  }
}

function nextUrl({ path, query }: Call, cursor: string): string {
  // Without filters nothing needs escaping, as the limit is all digits.
  if (Object.keys(query).every((name) => name === 'limit' || name === 'cursor')) {
    return `${path}?${query.limit === undefined ? '' : `limit=${query.limit}&`}cursor=${cursor}`
  }
  return `${path}?${new URLSearchParams({ ...query, cursor })}`
}
