import { idText, isJsonObject, type JsonValue, valueAt, valueAtPath } from '../../core/json.ts'
import { oneLine } from '../errors/one-line.ts'
import { type Member, remainingOf, wholeNumber } from './envelope.ts'
import { ADDRESS_NAMES, LAST_ID_PARAMETERS, LAST_PAGE_NAMES, MORE_NAMES, PAGE_NAMES, REMAINING_NAMES } from './names.ts'
import {
  LAST_ID_PARAMETER,
  MORE_PLACES,
  NEXT_SHAPES,
  type NextShape,
  NUMBERED_PAGES,
  PAGE_PARAMETER,
  type PageWire,
} from './page-shapes.ts'
import {
  addressOn,
  candidatesIn,
  cursorParameters,
  isAddressLike,
  type NextCandidate,
  type Position,
  placed,
  positionText,
} from './positions.ts'
import { hasOtherLinks, isNothing, isYes, type Links, nextText } from './signs.ts'

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
  /** The same cursor in other parameters; tried if `next` leads back. */
  readonly others: readonly NextCandidate[]
  /** `implied`: the member for a next page is empty. */
  readonly end: 'stated' | 'implied' | 'unknown'
  /** The member that states it. */
  readonly at: string | undefined
  /** Its pages are numbered from 0. */
  readonly isFromZero?: boolean
  /** A next page in an answer that also states that the list ends. */
  readonly disputed?: DisputedNext | undefined
}

export interface DisputedNext {
  readonly next: Position
  readonly others: readonly NextCandidate[]
  readonly at: string | undefined
}

const DEFAULT_PARAMETER = 'cursor'
const UNKNOWN: NextFound = { next: undefined, others: [], end: 'unknown', at: undefined }

/** No request line and no command line is this long. */
const MOST_CURSOR_CHARS = 65_536

/** The next page, or a clause with the reason why it cannot be requested. `url` is that of this page. */
export function readNext(source: Source, url: URL, wire: PageWire): NextFound | string {
  const found = readAny(source, url, wire)
  if (typeof found === 'string') return found
  const texts = [found.next, found.disputed?.next].map((next) => (next ? positionText(next, undefined) : ''))
  const most = Math.max(...texts.map(({ length }) => length))
  return most > MOST_CURSOR_CHARS ? `the cursor is longer than ${MOST_CURSOR_CHARS} characters` : found
}

function readAny(source: Source, url: URL, wire: PageWire): NextFound | string {
  if (wire.paging === 'none') return stated(undefined, 'wire.paging')
  if (wire.paging === 'page' || wire.paging === 'offset') return UNKNOWN
  const { links } = source
  if (wire.paging === 'link') {
    const target = links.get('next')
    return stated(target === undefined ? undefined : readAddress(target, url), 'Link rel="next"')
  }
  if (wire.nextPath !== undefined) return readAtPath(source.json, wire.nextPath, url, wire)
  return readRecognised(source, links, url, wire)
}

/** An answer without the path does not end the list: the path may be misspelt. */
function readAtPath(json: JsonValue, path: string, url: URL, wire: PageWire): NextFound | string {
  const value = valueAtPath(json, path)
  if (value === undefined) return UNKNOWN
  const ownName = path.slice(path.lastIndexOf('.') + 1)
  if (typeof value === 'number' && REMAINING_NAMES.has(ownName.replaceAll(/[^a-z]/gi, '').toLowerCase())) {
    return `wire.next_path ${path} is the number of remaining records, not a cursor`
  }
  const isUrl = wire.paging === 'next_url' && typeof value === 'string' && value !== ''
  const next = isUrl ? readAddress(value, url) : readPosition(value, wire.cursorParam ?? DEFAULT_PARAMETER, url)
  return stated(next, path)
}

function readRecognised(
  source: Source,
  links: ReadonlyMap<string, string>,
  url: URL,
  wire: PageWire,
): NextFound | string {
  const found = readStated(source, links, url, wire)
  if (typeof found === 'string' || found.next || found.end === 'unknown') return found
  const disputed = readDisputed(source, links.get('next'), url, wire)
  return typeof disputed === 'string' ? disputed : { ...found, disputed }
}

function readStated(source: Source, links: ReadonlyMap<string, string>, url: URL, wire: PageWire): NextFound | string {
  const { json, members } = source
  const link = links.get('next')
  const inBody = readBody(json, url, { ...wire, link })
  if (typeof inBody === 'string' || inBody.next || inBody.end === 'stated') return inBody
  if (link !== undefined) return stated(readAddress(link, url), 'Link rel="next"')
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

/** Without `endCursor`, `after_cursor` and scroll ids, which the last page has, too. */
const NAMED_NEXT = NEXT_SHAPES.filter(({ next }) => /next/i.test(next.join()))

function readDisputed(
  { json, members }: Source,
  link: string | undefined,
  url: URL,
  wire: PageWire,
): DisputedNext | string | undefined {
  const readers = [
    ...NAMED_NEXT.map((shape) => () => readAtShape(json, shape, url, { ...wire, link })),
    () => (link === undefined ? undefined : stated(readAddress(link, url), 'Link rel="next"')),
    () =>
      readNamed(
        members.filter(({ name }) => name.includes('next')),
        url,
        wire,
      ),
  ]
  for (const read of readers) {
    const found = read()
    if (typeof found === 'string') return found
    if (found?.next) return { next: found.next, others: found.others, at: found.at }
  }
  return undefined
}

/**
 * A cursor has priority over the address in a Link header: it works behind a proxy that renames the server, and keeps the
 * requested page size. The header then only names the parameter for the cursor.
 */
function readBody(json: JsonValue, url: URL, at: BodyWire): NextFound | string {
  let empty: string | undefined
  for (const shape of NEXT_SHAPES) {
    const end = endIn(json, shape)
    if (end !== undefined) return stated(undefined, end)
    const found = readAtShape(json, shape, url, at)
    if (typeof found === 'string' || found?.next) return found
    empty = found?.at ?? empty
  }
  return { next: undefined, others: [], end: empty === undefined ? 'unknown' : 'implied', at: empty }
}

type BodyWire = PageWire & { readonly link: string | undefined }

/** Undefined if the answer does not have the member; without `next` if the member is empty. */
function readAtShape(json: JsonValue, shape: NextShape, url: URL, at: BodyWire): NextFound | string | undefined {
  const value = valueAt(json, shape.next)
  if (value === undefined || isYes(value) || isGroup(value, shape)) return undefined
  const position = readShape(value, shape, url, at)
  const cursor = typeof position === 'object' && !at.cursorParam ? idText(value) : undefined
  const others = cursor === undefined || isAddressLike(cursor) ? [] : otherCursors(position, cursor, url)
  return stated(position, shape.next.join('.'), others)
}

/** An object with the address in it is read by another shape; `next` may also contain a page and its size. */
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

function otherCursors(position: Position | string | undefined, cursor: string, url: URL): readonly NextCandidate[] {
  return candidatesIn(cursorParameters(undefined, cursor), cursor, url).filter(
    (candidate) => JSON.stringify(candidate.position) !== JSON.stringify(position),
  )
}

function endIn(json: JsonValue, { more, done }: NextShape): string | undefined {
  if (more !== undefined && valueAt(json, more) === false) return more.join('.')
  return done !== undefined && valueAt(json, done) === true ? done.join('.') : undefined
}

/** Reads members by name alone, anywhere outside of the records, and headers. */
function readNamed(members: readonly Member[], url: URL, wire: PageWire): NextFound | string | undefined {
  let empty: string | undefined
  for (const member of members) {
    const text = nextText(member, members)
    if (text === null) empty ??= member.at
    if (typeof text !== 'string') continue
    const { name, at } = member
    if (ADDRESS_NAMES.has(name) || isAddressLike(text)) return stated(readAddress(text, url), at)
    // A bare `next` names no parameter.
    const ownName = name === 'next' ? undefined : member.ownName
    const names = wire.cursorParam === undefined ? cursorParameters(ownName, text) : [wire.cursorParam]
    const [next, ...others] = candidatesIn(names, text, url)
    return stated(next?.position, at, others)
  }
  return empty === undefined ? undefined : { next: undefined, others: [], end: 'implied', at: empty }
}

function readMore({ json, lastId, members }: Source, inBody: NextFound, url: URL, wire: PageWire): NextFound | string {
  const placeOf = (sign: boolean) => MORE_PLACES.find((place) => valueAt(json, place) === sign)?.join('.')
  const named = (sign: boolean) =>
    members.find(({ name, value }) => {
      const isNo = value === false || (typeof value === 'string' && /^false$/i.test(value))
      // `last: 5` is the number of a page.
      const isMore = isYes(value) || (typeof value === 'number' && value > 0)
      return (
        (MORE_NAMES.has(name) && (sign ? isMore : isNo)) || (LAST_PAGE_NAMES.has(name) && (sign ? isNo : isYes(value)))
      )
    })?.at
  const at = placeOf(true) ?? named(true)
  if (at === undefined) {
    const remaining = remainingOf(members)
    const end = placeOf(false) ?? named(false) ?? (remaining?.count === 0 ? remaining.at : undefined)
    return end === undefined ? inBody : stated(undefined, end)
  }
  const id = idText(lastId)
  const page = members.find(({ name, value }) => PAGE_NAMES.has(name) && wholeNumber(value) !== undefined)
  if (page && inBody.end === 'unknown') {
    const [next, ...others] = candidatesIn([wire.cursorParam ?? PAGE_PARAMETER], String(Number(page.value) + 1), url)
    return stated(next?.position, `${page.at} and ${at}`, others)
  }
  // An empty cursor contradicts the sign: it is unknown which is right.
  if (inBody.end !== 'unknown' || lastId === undefined) return 'there are more records, but no cursor for them'
  if (!id) return { ...UNKNOWN, at }
  const next = { parameter: wire.cursorParam ?? LAST_ID_PARAMETER, cursor: id }
  const others = wire.cursorParam === undefined ? LAST_ID_PARAMETERS.slice(1) : []
  return stated(next, at, candidatesIn(others, id, url))
}

/** The next page by the page number in the answer; undefined without one. */
function readNumbered(
  json: JsonValue,
  url: URL,
  { cursorParam = PAGE_PARAMETER, isFromZero: wasFromZero = false }: PageWire,
): NextFound | undefined {
  for (const place of NUMBERED_PAGES) {
    // A page number copied from the query is a string.
    const [page, pages] = [wholeNumber(valueAt(json, place.page)), wholeNumber(valueAt(json, place.pages))]
    if (page === undefined || pages === undefined) continue
    // If the first page has the number 0, pages are numbered from 0.
    const isFromZero = place.base === 0 || page === 0 || wasFromZero
    const next = page + (isFromZero ? 1 : 0) < pages ? placed(String(page + 1), cursorParam, url) : undefined
    const others = cursorParam === PAGE_PARAMETER ? candidatesIn(['pagination[page]'], String(page + 1), url) : []
    return { next, others, end: 'stated', isFromZero, at: `${place.page.join('.')} of ${place.pages.join('.')}` }
  }
  return undefined
}

function stated(
  next: Position | string | undefined,
  at: string | undefined,
  others: readonly NextCandidate[] = [],
): NextFound | string {
  return typeof next === 'string' ? next : { next, others, end: 'stated', at }
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

/** The parameter that has the cursor in a Link header of the same origin. */
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
