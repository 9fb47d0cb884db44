import { idText } from '../core/exact-json.ts'
import { isJsonObject, type JsonValue } from '../core/json.ts'
import { readLinks } from './link-header.ts'
import { oneLine } from './one-line.ts'
import type { PageWire } from './page-answer.ts'
import {
  LAST_ID_PARAMETER,
  MORE_PLACES,
  NEXT_SHAPES,
  type NextShape,
  NUMBERED_PAGES,
  PAGE_PARAMETER,
} from './page-shapes.ts'
import { addressOn, type Position } from './position.ts'
import { valueAt, valueAtPath } from './value-at.ts'

interface Source {
  readonly json: JsonValue
  readonly link: string | string[] | undefined
  readonly lastId: JsonValue | undefined
}

export interface NextFound {
  readonly next: Position | undefined
  /** `implied`: there is a place for a next page, and it is empty. */
  readonly end: 'said' | 'implied' | 'unknown'
  /** What of the answer says so. */
  readonly at: string | undefined
}

const DEFAULT_PARAMETER = 'cursor'

/** Where the list goes on, or a clause that says why that cannot be followed. `url` is what was asked for. */
export function readNext(source: Source, url: URL, wire: PageWire): NextFound | string {
  const { json } = source
  if (wire.nextPath !== undefined) {
    const next = readPosition(valueAtPath(json, wire.nextPath), wire.cursorParam ?? DEFAULT_PARAMETER, url)
    return said(next, wire.nextPath)
  }
  const link = readLinks(source.link).get('next')
  const inBody = readBody(json, url, { ...wire, link })
  if (typeof inBody === 'string' || inBody.next || inBody.end === 'said') return inBody
  if (link !== undefined) return said(readAddress(link, url), 'Link rel="next"')
  return (inBody.end === 'unknown' ? readNumbered(json, url, wire) : undefined) ?? readMore(source, inBody, wire)
}

/**
 * A cursor goes before the address in a Link header: it survives a proxy that knows its server under another name, and
 * the limit of the request stays ours. The header then only says in which parameter the cursor goes back.
 */
function readBody(json: JsonValue, url: URL, at: PageWire & { link: string | undefined }): NextFound | string {
  let empty: string | undefined
  for (const shape of NEXT_SHAPES) {
    const end = endIn(json, shape)
    if (end !== undefined) return said(undefined, end)
    const { next, sentAs } = shape
    const value = valueAt(json, next)
    // Of an object with the address in it the shape before this one has read what there is.
    if (value === undefined || (isJsonObject(value) && Object.hasOwn(value, 'href'))) continue
    const position =
      sentAs === undefined
        ? readPosition(value, at.cursorParam ?? DEFAULT_PARAMETER, url)
        : readCursor(value, at.cursorParam ?? linkedParameter(idText(value) ?? '', sentAs, url, at) ?? sentAs, url)
    if (position !== undefined) return said(position, next.join('.'))
    empty = next.join('.')
  }
  return { next: undefined, end: empty === undefined ? 'unknown' : 'implied', at: empty }
}

function endIn(json: JsonValue, { more, done }: NextShape): string | undefined {
  if (more !== undefined && valueAt(json, more) === false) return more.join('.')
  return done !== undefined && valueAt(json, done) === true ? done.join('.') : undefined
}

function readMore({ json, lastId }: Source, inBody: NextFound, wire: PageWire): NextFound | string {
  const placeOf = (sign: boolean) => MORE_PLACES.find((place) => valueAt(json, place) === sign)?.join('.')
  const at = placeOf(true)
  if (at === undefined) return placeOf(false) === undefined ? inBody : said(undefined, placeOf(false))
  const id = idText(lastId)
  // A cursor that is empty contradicts the sign: it is not known which of the two is right.
  if (!id || inBody.end !== 'unknown') return 'there are more records, but no cursor that leads to them'
  return said({ parameter: wire.cursorParam ?? LAST_ID_PARAMETER, cursor: id }, at)
}

/** The page behind this one, where the answer says which one it is; undefined where it does not. */
function readNumbered(json: JsonValue, url: URL, { cursorParam = PAGE_PARAMETER }: PageWire): NextFound | undefined {
  for (const place of NUMBERED_PAGES) {
    const [page, pages] = [valueAt(json, place.page), valueAt(json, place.pages)]
    if (!isPage(page) || !isPage(pages)) continue
    const next = page < pages ? numbered(String(page + 1), cursorParam, url) : undefined
    return { next, end: 'said', at: `${place.page.join('.')} of ${place.pages.join('.')}` }
  }
  return undefined
}

function isPage(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}

/** A number means the page only beside the size that the pages before it had: it is kept as the whole address. */
function numbered(page: string, parameter: string, url: URL): Position {
  const next = new URL(url)
  next.searchParams.set(parameter, page)
  return { address: next.pathname + next.search }
}

function isPageNumber(parameter: string): boolean {
  return /^(?:p|page(?:[_-]?(?:no|num|number))?|page\[number\])$/i.test(parameter)
}

function said(next: Position | string | undefined, at: string | undefined): NextFound | string {
  return typeof next === 'string' ? next : { next, end: 'said', at }
}

/** What looks like an address is one. */
function readPosition(value: JsonValue | undefined, parameter: string, url: URL): Position | string | undefined {
  const isAddress = typeof value === 'string' && /^(?:https?:\/\/|[/?])/i.test(value)
  return isAddress ? readAddress(value, url) : readCursor(value, parameter, url)
}

function readCursor(value: JsonValue | undefined, parameter: string, url: URL): Position | string | undefined {
  if (value === undefined || value === null || value === false || value === '') return undefined
  const cursor = idText(value)
  if (cursor !== undefined) return isPageNumber(parameter) ? numbered(cursor, parameter, url) : { parameter, cursor }
  return `the cursor is not a string: ${oneLine(JSON.stringify(value), 60)}`
}

function readAddress(target: string, url: URL): Position | string {
  const address = addressOn(url.origin, target, url.href)
  if (address !== undefined) return { address }
  const elsewhere = URL.parse(target, url.href)?.origin
  const where = elsewhere && elsewhere !== url.origin ? elsewhere : oneLine(target, 60)
  return `the next page is at ${where}, but the key belongs to ${url.origin}: nothing was sent there`
}

/** The parameter in which a Link header of the same origin carries the cursor. */
function linkedParameter(
  cursor: string,
  expected: string,
  url: URL,
  at: { link: string | undefined; limitParam: string | undefined },
): string | undefined {
  if (at.link === undefined || addressOn(url.origin, at.link, url.href) === undefined) return undefined
  const query = new URL(at.link, url.href).searchParams
  if (query.get(expected) === cursor) return expected
  return [...query.keys()].find((name) => name !== at.limitParam && query.get(name) === cursor)
}
