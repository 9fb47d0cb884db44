import { hash } from 'node:crypto'
import { decodeId, type IdKind } from '../core/ids.ts'
import { badParameter, type Problem, quotedText } from './problem.ts'
import type { RouteCall, RouteReply } from './route.ts'
import type { JoinedPage, PageQuery, TextPage } from './store/store.ts'

export const PAGE_PARAMETERS = ['limit', 'cursor'] as const

export const LIMIT = { smallest: 1, usual: 50, largest: 500 }

/** Of a list with ids of no kind, the cursor may contain any id. */
export function readPageQuery(call: RouteCall, kind?: IdKind): PageQuery {
  const { limit: text, cursor } = call.query
  const limit = text === undefined ? LIMIT.usual : /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  return {
    limit: checkedLimit(limit, 'limit', text),
    olderThanId: cursor === undefined ? undefined : decodeCursor(cursor, filterText(call.path, call.query), kind),
  }
}

/** `sent`: the text that the Problem quotes. */
export function checkedLimit(limit: number, parameter: string, sent: string | undefined): number {
  if (limit >= LIMIT.smallest && limit <= LIMIT.largest) return limit
  const expected = `expected a whole number from ${LIMIT.smallest} to ${LIMIT.largest}`
  throw badParameter(parameter, 'invalid_limit', `${expected}, got ${sent === undefined ? limit : quotedText(sent)}`)
}

/** The reply with a page. Stored texts are joined without parsing. */
export function pageReply(call: RouteCall, { texts, nextOlderThanId }: TextPage): RouteReply {
  return joinedPageReply(call, { text: texts.join(','), nextOlderThanId })
}

export function joinedPageReply(call: RouteCall, { text, nextOlderThanId }: JoinedPage): RouteReply {
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

function nextUrl({ path, query }: RouteCall, cursor: string): string {
  // Without filters nothing needs escaping, as the limit is all digits.
  if (Object.keys(query).every((name) => name === 'limit' || name === 'cursor')) {
    return `${path}?${query.limit === undefined ? '' : `limit=${query.limit}&`}cursor=${cursor}`
  }
  return `${path}?${new URLSearchParams({ ...query, cursor })}`
}

/** A page of a list that was read whole. Throws what `unknown` returns for a place that is not in it: starting over would make a client loop. */
export function pageOfAll<T extends { readonly id: string }>(
  all: readonly T[],
  { limit, olderThanId }: PageQuery,
  unknown: () => Problem,
): { readonly items: readonly T[]; readonly nextOlderThanId: string | undefined } {
  const start = all.findIndex(({ id }) => id === olderThanId) + 1
  if (olderThanId !== undefined && start === 0) throw unknown()
  const items = all.slice(start, start + limit)
  return { items, nextOlderThanId: start + limit < all.length ? items.at(-1)?.id : undefined }
}

const MAX_CURSOR_SHOWN = 40

/** Opaque to clients: the last id of the previous page, bound to its list and filters. */
export function encodeCursor(id: string, filters: string): string {
  return cursorsOf(filters)(id)
}

/** For lists with a cursor per record. */
export function cursorsOf(filters: string): (id: string) => string {
  const mark = filterMark(filters)
  return (id) => Buffer.from(`${mark}${id}`).toString('base64url')
}

/** The text that a cursor is bound to: the path and every filter parameter, in sorted order. */
export function filterText(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const filters = Object.entries(query).filter(([name]) => name !== 'limit' && name !== 'cursor')
  return JSON.stringify([path, ...filters.sort(([one], [other]) => (one < other ? -1 : 1))])
}

/** Throws a Problem for any cursor not issued for this list with these filters, or whose id is of another kind. */
export function decodeCursor(cursor: string, filters: string, kind?: IdKind, parameter = 'cursor'): string {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const mark = filterMark(filters)
  const id = text.slice(mark.length)
  if (!/^[A-Za-z0-9_.-]+$/.test(id)) throw unknownCursor(cursor, parameter)
  if (!text.startsWith(mark)) {
    const shown = quotedText(cursor, MAX_CURSOR_SHOWN)
    throw invalidCursor(`${shown} belongs to another list or to other filters`, parameter)
  }
  // The mark of a cursor is not secret, so a client can construct one for any id.
  if (kind && decodeId(kind, id) === undefined) throw unknownCursor(cursor, parameter)
  return id
}

/** For a cursor that no page of the list can have returned. */
export function unknownCursor(cursor: string, parameter: string = 'cursor'): Problem {
  return invalidCursor(`${quotedText(cursor, MAX_CURSOR_SHOWN)} is not a cursor of this service`, parameter)
}

function invalidCursor(fault: string, parameter: string): Problem {
  return badParameter(parameter, 'invalid_cursor', `${fault}; start the list again without one`)
}

/** Not a secret: it only distinguishes lists. */
function filterMark(filters: string): string {
  return hash('sha256', filters, 'base64url').slice(0, 8)
}
