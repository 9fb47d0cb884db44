import { idText } from '../../core/exact-json.ts'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { oneLine } from '../errors/one-line.ts'
import { addressOn, type Position } from '../errors/position.ts'
import { valueAt, valueAtPath } from '../value-at.ts'
import { wholeNumber } from './counts.ts'
import type { Member } from './envelope.ts'
import type { Lead } from './lead.ts'
import { cursorParameters, isAddressLike, leadsIn, placed } from './lead.ts'
import { hasOtherLinks, type Links } from './links.ts'
import { ADDRESS_NAMES, LAST_ID_PARAMETERS, LAST_NAMES, MORE_NAMES, PAGE_NAMES } from './names.ts'
import type { PageWire } from './page-shapes.ts'
import {
  LAST_ID_PARAMETER,
  MORE_PLACES,
  NEXT_SHAPES,
  type NextShape,
  NUMBERED_PAGES,
  PAGE_PARAMETER,
} from './page-shapes.ts'
import { isNothing, isYes, nextText } from './signs.ts'

interface Source {
  readonly json: JsonValue
  readonly links: Links
  /** A link to the last page is to a later page. */
  readonly isLastAhead: boolean
  readonly lastId: JsonValue | undefined
  readonly members: readonly Member[]
}

export interface NextFound {
  readonly next: Position | undefined
  /** Where the same sign leads with servers that take it in another parameter; tried when `next` leads back. */
  readonly others: readonly Lead[]
  /** `implied`: there is a place for a next page, and it is empty. */
  readonly end: 'said' | 'implied' | 'unknown'
  /** What of the answer says so. */
  readonly at: string | undefined
  /** Its pages are numbered from 0. */
  readonly isFromZero?: boolean
  /** A next page that the answer names although it also says that this one is the last. */
  readonly denied?: Denied | undefined
}

export interface Denied {
  readonly next: Position
  readonly others: readonly Lead[]
  readonly at: string | undefined
}

const DEFAULT_PARAMETER = 'cursor'
const UNKNOWN: NextFound = { next: undefined, others: [], end: 'unknown', at: undefined }

/** Where the list goes on, or a clause that says why that cannot be followed. `url` is what was asked for. */
export function readNext(source: Source, url: URL, wire: PageWire): NextFound | string {
  if (wire.paging === 'none') return said(undefined, 'wire.paging')
  if (wire.paging === 'page' || wire.paging === 'offset') return UNKNOWN
  const { links } = source
  if (wire.paging === 'link') {
    const target = links.get('next')
    return said(target === undefined ? undefined : readAddress(target, url), 'Link rel="next"')
  }
  if (wire.nextPath !== undefined) return readAtPath(source.json, wire.nextPath, url, wire)
  return readRecognised(source, links, url, wire)
}

/** That no answer holds the path is no end: it may be misspelt. */
function readAtPath(json: JsonValue, path: string, url: URL, wire: PageWire): NextFound | string {
  const value = valueAtPath(json, path)
  if (value === undefined) return UNKNOWN
  const isUrl = wire.paging === 'next_url' && typeof value === 'string' && value !== ''
  const next = isUrl ? readAddress(value, url) : readPosition(value, wire.cursorParam ?? DEFAULT_PARAMETER, url)
  return said(next, path)
}

function readRecognised(
  source: Source,
  links: ReadonlyMap<string, string>,
  url: URL,
  wire: PageWire,
): NextFound | string {
  const found = readSaid(source, links, url, wire)
  if (typeof found === 'string' || found.next || found.end === 'unknown') return found
  const denied = readDenied(source, links.get('next'), url, wire)
  return typeof denied === 'string' ? denied : { ...found, denied }
}

function readSaid(source: Source, links: ReadonlyMap<string, string>, url: URL, wire: PageWire): NextFound | string {
  const { json, members } = source
  const link = links.get('next')
  const inBody = readBody(json, url, { ...wire, link })
  if (typeof inBody === 'string' || inBody.next || inBody.end === 'said') return inBody
  if (link !== undefined) return said(readAddress(link, url), 'Link rel="next"')
  if (inBody.end === 'unknown') {
    const found = readNumbered(json, url, wire) ?? readNamed(members, url, wire)
    if (found !== undefined) return found
  }
  const more = readMore(source, inBody, url, wire)
  if (typeof more === 'string' || more.end !== 'unknown') return more
  return !source.isLastAhead && hasOtherLinks(links, json)
    ? { ...more, end: 'implied', at: 'links without next' }
    : more
}

/** `endCursor`, `after_cursor` and scroll ids are on the last page, too. */
const NAMED_NEXT = NEXT_SHAPES.filter(({ next }) => /next/i.test(next.join()))

function readDenied(
  { json, members }: Source,
  link: string | undefined,
  url: URL,
  wire: PageWire,
): Denied | string | undefined {
  const ways = [
    ...NAMED_NEXT.map((shape) => () => readAtShape(json, shape, url, { ...wire, link })),
    () => (link === undefined ? undefined : said(readAddress(link, url), 'Link rel="next"')),
    () =>
      readNamed(
        members.filter(({ name }) => name.includes('next')),
        url,
        wire,
      ),
  ]
  for (const way of ways) {
    const found = way()
    if (typeof found === 'string') return found
    if (found?.next) return { next: found.next, others: found.others, at: found.at }
  }
  return undefined
}

/**
 * A cursor goes before the address in a Link header: it survives a proxy that knows its server under another name, and
 * the limit of the request stays ours. The header then only says in which parameter the cursor goes back.
 */
function readBody(json: JsonValue, url: URL, at: BodyWire): NextFound | string {
  let empty: string | undefined
  for (const shape of NEXT_SHAPES) {
    const end = endIn(json, shape)
    if (end !== undefined) return said(undefined, end)
    const found = readAtShape(json, shape, url, at)
    if (typeof found === 'string' || found?.next) return found
    empty = found?.at ?? empty
  }
  return { next: undefined, others: [], end: empty === undefined ? 'unknown' : 'implied', at: empty }
}

type BodyWire = PageWire & { readonly link: string | undefined }

/** Undefined when the answer does not have the member; without `next` when the member is empty. */
function readAtShape(json: JsonValue, shape: NextShape, url: URL, at: BodyWire): NextFound | string | undefined {
  const value = valueAt(json, shape.next)
  if (value === undefined || isYes(value) || isGroup(value, shape)) return undefined
  const position = readShape(value, shape, url, at)
  const cursor = typeof position === 'object' && !at.cursorParam ? idText(value) : undefined
  const others = cursor === undefined || isAddressLike(cursor) ? [] : otherCursors(position, cursor, url)
  return said(position, shape.next.join('.'), others)
}

/** Of an object with the address in it another shape reads what there is; `next` may also hold a page and its size. */
function isGroup(value: JsonValue, { next }: NextShape): boolean {
  return isJsonObject(value) && (Object.hasOwn(value, 'href') || next.join() === 'next')
}

function readShape(value: JsonValue, { sentAs }: NextShape, url: URL, at: BodyWire): Position | string | undefined {
  if (sentAs === undefined) return readPosition(value, at.cursorParam ?? namedParameter(value), url)
  return readCursor(value, at.cursorParam ?? linkedParameter(idText(value) ?? '', sentAs, url, at) ?? sentAs, url)
}

/** `"next": 2` is the number of a page. */
function namedParameter(value: JsonValue): string {
  return typeof value === 'number' ? PAGE_PARAMETER : DEFAULT_PARAMETER
}

function otherCursors(position: Position | string | undefined, cursor: string, url: URL): readonly Lead[] {
  return leadsIn(cursorParameters(undefined, cursor), cursor, url).filter(
    (lead) => JSON.stringify(lead.position) !== JSON.stringify(position),
  )
}

function endIn(json: JsonValue, { more, done }: NextShape): string | undefined {
  if (more !== undefined && valueAt(json, more) === false) return more.join('.')
  return done !== undefined && valueAt(json, done) === true ? done.join('.') : undefined
}

/** By the name alone, wherever it stands around the records, and in headers. */
function readNamed(members: readonly Member[], url: URL, wire: PageWire): NextFound | string | undefined {
  let empty: string | undefined
  for (const member of members) {
    const text = nextText(member, members)
    if (text === null) empty ??= member.at
    if (typeof text !== 'string') continue
    const { name, at } = member
    if (ADDRESS_NAMES.has(name) || isAddressLike(text)) return said(readAddress(text, url), at)
    // A bare `next` names no parameter.
    const ownName = name === 'next' ? undefined : member.ownName
    const names = wire.cursorParam === undefined ? cursorParameters(ownName, text) : [wire.cursorParam]
    const [next, ...others] = leadsIn(names, text, url)
    return said(next?.position, at, others)
  }
  return empty === undefined ? undefined : { next: undefined, others: [], end: 'implied', at: empty }
}

function readMore({ json, lastId, members }: Source, inBody: NextFound, url: URL, wire: PageWire): NextFound | string {
  const placeOf = (sign: boolean) => MORE_PLACES.find((place) => valueAt(json, place) === sign)?.join('.')
  const named = (sign: boolean) =>
    members.find(({ name, value }) => {
      const isYes = value === true || (typeof value === 'string' && /^true$/i.test(value))
      const isNo = value === false || (typeof value === 'string' && /^false$/i.test(value))
      return (MORE_NAMES.has(name) && (sign ? isYes : isNo)) || (LAST_NAMES.has(name) && (sign ? isNo : isYes))
    })?.at
  const at = placeOf(true) ?? named(true)
  if (at === undefined) {
    const end = placeOf(false) ?? named(false)
    return end === undefined ? inBody : said(undefined, end)
  }
  const id = idText(lastId)
  const page = members.find(({ name, value }) => PAGE_NAMES.has(name) && wholeNumber(value) !== undefined)
  if (page && inBody.end === 'unknown') {
    const [next, ...others] = leadsIn([wire.cursorParam ?? PAGE_PARAMETER], String(Number(page.value) + 1), url)
    return said(next?.position, `${page.at} and ${at}`, others)
  }
  // A cursor that is empty contradicts the sign: it is not known which of the two is right.
  if (inBody.end !== 'unknown' || lastId === undefined)
    return 'there are more records, but no cursor that leads to them'
  if (!id) return { ...UNKNOWN, at }
  const next = { parameter: wire.cursorParam ?? LAST_ID_PARAMETER, cursor: id }
  const others = wire.cursorParam === undefined ? LAST_ID_PARAMETERS.slice(1) : []
  return said(next, at, leadsIn(others, id, url))
}

/** The page behind this one, where the answer says which one it is; undefined where it does not. */
function readNumbered(
  json: JsonValue,
  url: URL,
  { cursorParam = PAGE_PARAMETER, isFromZero: wasFromZero = false }: PageWire,
): NextFound | undefined {
  for (const place of NUMBERED_PAGES) {
    const [page, pages] = [valueAt(json, place.page), valueAt(json, place.pages)]
    if (!isCount(page) || !isCount(pages)) continue
    // A first answer that calls itself 0 is the first of pages that are counted from 0.
    const isFromZero = place.base === 0 || page === 0 || wasFromZero
    const next = page + (isFromZero ? 1 : 0) < pages ? placed(String(page + 1), cursorParam, url) : undefined
    const others = cursorParam === PAGE_PARAMETER ? leadsIn(['pagination[page]'], String(page + 1), url) : []
    return { next, others, end: 'said', isFromZero, at: `${place.page.join('.')} of ${place.pages.join('.')}` }
  }
  return undefined
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function said(
  next: Position | string | undefined,
  at: string | undefined,
  others: readonly Lead[] = [],
): NextFound | string {
  return typeof next === 'string' ? next : { next, others, end: 'said', at }
}

function readPosition(value: JsonValue | undefined, parameter: string, url: URL): Position | string | undefined {
  return typeof value === 'string' && isAddressLike(value) ? readAddress(value, url) : readCursor(value, parameter, url)
}

function readCursor(value: JsonValue | undefined, parameter: string, url: URL): Position | string | undefined {
  if (value === undefined || isNothing(value)) return undefined
  const cursor = idText(value)
  if (cursor !== undefined) return placed(cursor, parameter, url)
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
