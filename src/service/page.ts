import { decodeId, type IdKind } from '../core/ids.ts'
import { decodeCursor, encodeCursor, filterText, noCursor } from './cursor.ts'
import { badParameter } from './problem.ts'
import type { Call, Reply } from './route.ts'
import { shownText } from './shown.ts'
import type { PageQuery, TextPage } from './store/store.ts'

export const PAGE_PARAMETERS = ['limit', 'cursor'] as const

export const LIMIT = { smallest: 1, usual: 50, largest: 500 }

export function readPage(call: Call, kind: IdKind): PageQuery {
  const { olderThanId, limit } = readPlace(call)
  // The mark of a cursor is no secret, so that one may be made up around any id.
  if (olderThanId !== undefined && decodeId(kind, olderThanId) === undefined) throw noCursor(call.query.cursor ?? '')
  return { olderThanId, limit }
}

/** For lists whose ids are not of a kind: what the cursor names may be anything. */
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

/** The page as the wire carries it; rows are joined as the store keeps them, never parsed. */
export function pageReply(call: Call, page: TextPage): Reply {
  const next =
    page.nextOlderThanId === undefined
      ? undefined
      : encodeCursor(page.nextOlderThanId, filterText(call.path, call.query))
  return {
    status: 200,
    body: `{"data":[${page.texts.join(',')}],"next_cursor":${next === undefined ? null : `"${next}"`},"has_more":${next !== undefined}}`,
    headers: next === undefined ? {} : { link: `<${nextUrl(call, next)}>; rel="next"` },
  }
}

function nextUrl(call: Call, cursor: string): string {
  const parameters = new URLSearchParams({ ...call.query, cursor })
  return `${call.path}?${parameters}`
}
