import { idText, isJsonObject, type JsonValue, valueAt } from '../../core/json.ts'
import { isCutText, type Member, type Sign, wholeNumber } from './envelope.ts'
import {
  ADDRESS_NAMES,
  COUNT_NAMES,
  CURSOR_NAMES,
  MORE_NAMES,
  PAGE_NAMES,
  PAGE_NUMBER_PARAMETERS,
  PAGES_NAMES,
  REMAINING_NAMES,
  TOTAL_NAMES,
} from './names.ts'
import type { AnswerPath } from './page-shapes.ts'
import { isAddressLike } from './positions.ts'

const WORDS: ReadonlySet<string> = new Set(
  (
    'next more cursor cursors token offset continuation continue resume after scroll bookmark marker iterator watermark ' +
    'partial truncated incomplete'
  ).split(' '),
)
/** Whole names, whose words are ambiguous. */
const NAMES: ReadonlySet<string> = new Set('position lastid timedout limitexceeded limitreached'.split(' '))
/** Names that mark a partial answer when `false`. */
const COMPLETE = /^(?:is)?complete$/
const STATE = /^(?:status|state|result)$/
/** DynamoDB: the key at which a scan stopped, as an object of attributes. */
const LAST_KEY = /(?:^|\.)last_?(?:evaluated_?)?key(?:\.|$)/i
/** A range with an unknown total (RFC 9110, 14.4). */
const UNKNOWN_TOTAL = /\d\s*\/\s*\*\s*$/

/** Words that change the meaning of a name. */
const ASIDE: ReadonlySet<string> = new Set(
  'sync delta type info step steps utc timezone hours maintenance reset refresh'.split(' '),
)
/** The same, also in an enclosing name, and words for the way back. */
const MISLEADING: ReadonlySet<string> = new Set(
  'prev previous before csrf xsrf auth access refresh session security request api self first ratelimit retry'.split(
    ' ',
  ),
)

/** `asked`: the query of the request. A member that repeats one of its values is not a sign. */
export function readSigns(members: readonly Member[], asked: URLSearchParams): readonly Sign[] {
  const sent = new Set(asked.values())
  return members.flatMap((member): readonly Sign[] => {
    const { ownName, name, value, isHeader } = member
    const at = isHeader ? headerName(member.at) : member.at
    if (isPart(member)) return [{ at, ownName, value: undefined }]
    if (isCounted(name) || isNothing(value) || !isNameOfMore(member)) return []
    const text = idText(value)
    if (text !== undefined && sent.has(text)) return []
    // A bare `token` is more often an anti-CSRF token.
    const isHint = member.at === 'token'
    return [{ at, ownName, value: isYes(value) ? undefined : text, ...(isHint && { isHint }) }]
  })
}

function isCounted(name: string): boolean {
  return TOTAL_NAMES.has(name) || COUNT_NAMES.has(name) || PAGES_NAMES.has(name)
}

/** The server states that this is a part, without a cursor. */
function isPart({ name, words, value, isHeader }: Member): boolean {
  const text = typeof value === 'string' ? value : ''
  if (isHeader) return (name === 'contentrange' && UNKNOWN_TOTAL.test(text)) || (name === 'warning' && isCutText(text))
  if (COMPLETE.test(name)) return value === false
  if (STATE.test(name)) return /^(?:partial|incomplete|truncated)/i.test(text)
  const isAboveNone = typeof value === 'number' && value > 0
  return isAboveNone && (REMAINING_NAMES.has(name) || (name === 'failed' && words.includes('shards')))
}

function isNameOfMore({ name, words, ownWords, at }: Member): boolean {
  if (LAST_KEY.test(at) || NAMES.has(name)) return true
  if (ownWords.some((word) => ASIDE.has(word))) return false
  return words.some((word) => WORDS.has(word)) && !words.some((word) => MISLEADING.has(word))
}

/** Objects about paging, whose `next` is the next page or null: `pagy.next` (Rails). */
const NEXT_OF_PAGING =
  /(?:^|\.)(?:meta|pagy|pager|pagination|paginat(?:e|or)|paging|page[_-]?info)(?:[_-]?(?:meta|info))?\.next$/i

/** The next page by a member: its address or cursor, null at the end, undefined if the member is about something else. */
export function nextText(member: Member, members: readonly Member[]): string | null | undefined {
  const { name, at, value } = member
  const isNamed = ADDRESS_NAMES.has(name) || CURSOR_NAMES.has(name)
  if (!isNamed && NEXT_OF_PAGING.test(at)) return bareNext(member, members)
  if (!isNamed || isYes(value) || isEndCursor(member, members)) return undefined
  return (isNothing(value) ? undefined : idText(value)) ?? null
}

/** `end_cursor` beside `has_next_page: false` is the cursor of the last record (Kit). */
function isEndCursor({ name, at }: Member, members: readonly Member[]): boolean {
  const around = at.slice(0, at.lastIndexOf('.') + 1)
  const isNoMore = (each: Member) => each.at === around + each.ownName && MORE_NAMES.has(each.name)
  return /^(?:end|after)cursor$/.test(name) && members.some((each) => isNoMore(each) && each.value === false)
}

/** The number after that of this page; null at the end, unless `last` beside it is a later page. Other values are only signs. */
function bareNext({ at, value }: Member, members: readonly Member[]): string | null | undefined {
  const around = at.slice(0, at.lastIndexOf('.') + 1)
  const number = (isNamed: (name: string) => boolean) =>
    wholeNumber(members.find((each) => each.at === around + each.ownName && isNamed(each.name))?.value)
  const page = number((name) => PAGE_NAMES.has(name))
  if (!isNothing(value)) return page !== undefined && wholeNumber(value) === page + 1 ? String(value) : undefined
  const last = number((name) => name === 'last' || PAGES_NAMES.has(name)) ?? 0
  return last > (page ?? 1) ? undefined : null
}

/** A number below 1 is the offset of the first page, or marks the end. */
export function isNothing(value: JsonValue): boolean {
  if (value === null || value === false) return true
  if (typeof value === 'number') return value < 1
  if (typeof value === 'object') return Object.keys(value).length === 0
  return typeof value === 'string' && /^(?:|0|-1|null|none|false)$/i.test(value.trim())
}

export function isYes(value: JsonValue): boolean {
  return value === true || (typeof value === 'string' && /^(?:true|yes)$/i.test(value))
}

function headerName(at: string): string {
  return at.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase())
}

export type Links = ReadonlyMap<string, string>

/** The links of the Link header, then those in the body: `"links": [{"rel": "next", "href": "..."}]`. */
export function linksOf(json: JsonValue, header: string | readonly string[] | undefined): Links {
  const links = new Map(readLinks(header))
  for (const name of ['links', 'link', '_links']) {
    const list = valueAt(json, [name])
    if (!Array.isArray(list)) continue
    for (const link of list.filter(isJsonObject)) {
      const [relation, target] = [link.rel ?? link.relation, link.href ?? link.url]
      if (typeof relation !== 'string' || typeof target !== 'string') continue
      if (!links.has(relation.toLowerCase())) links.set(relation.toLowerCase(), target)
    }
  }
  return links
}

/** A link to a last page that comes after the requested page. */
export function lastPageAhead(json: JsonValue, links: Links, url: URL): Sign | undefined {
  const places = [
    ['links', 'last', 'href'],
    ['links', 'last'],
    ['_links', 'last', 'href'],
    ['_links', 'last'],
  ]
  const target = [links.get('last'), ...places.map((place) => valueAt(json, place))].find(
    (each) => typeof each === 'string',
  )
  for (const [parameter, text] of (target === undefined ? null : URL.parse(target, url.href))?.searchParams ?? []) {
    const isPage = PAGE_NUMBER_PARAMETERS.some((name) => name === parameter) && /^\d{1,9}$/.test(text)
    if (isPage && Number(text) > Number(url.searchParams.get(parameter) ?? 1)) {
      return { at: 'the link to the last page', ownName: 'last', value: undefined }
    }
  }
  return undefined
}

/** RFC 8288, JSON:API and FHIR: there are links to other pages, but no next link. */
export function hasOtherLinks(links: Links, json: JsonValue): boolean {
  if (isJsonObject(json) && json.resourceType === 'Bundle' && links.has('self')) return true
  const isPaged = (names: readonly string[]) => names.some((name) => /^(?:prev|previous|first|last)$/.test(name))
  const inBody = valueAt(json, ['links']) ?? valueAt(json, ['_links'])
  return isPaged([...links.keys()]) || (isJsonObject(inBody) && isPaged(Object.keys(inBody)))
}

/** The `cursor` of the last record or its edge (Relay connection specification), if each record has a different one. */
export function recordCursor(json: JsonValue, { place }: { readonly place: AnswerPath }): Sign | undefined {
  const list = valueAt(json, place)
  if (!Array.isArray(list) || list.length < 2) return undefined
  const cursors = list.map((each) => (isJsonObject(each) ? idText(each.cursor) : undefined))
  const isEach = new Set(cursors).size === list.length && !cursors.includes(undefined)
  return isEach
    ? { at: 'the cursor of the last record', ownName: 'cursor', value: cursors.at(-1), isHint: true }
    : undefined
}

/** The unchanged targets of a Link header (RFC 8288) by relation in lower case; the first of several. */
export function readLinks(header: string | readonly string[] | undefined): ReadonlyMap<string, string> {
  const links = new Map<string, string>()
  if (!header) return links
  // Targets and quoted values may contain commas and semicolons.
  for (const [, target = '', parameters = ''] of String(header).matchAll(/<([^<>]*)>((?:[^,"<]|"[^"]*")*)/g)) {
    // Sentry links to a next page on every page, with results="false" on the last.
    const isEmpty = /;\s*results\s*=\s*"?false\b/i.test(parameters)
    const relations = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters)
    for (const name of (relations?.[1] ?? relations?.[2] ?? '').toLowerCase().split(/\s+/)) {
      if (name !== '' && !links.has(name) && !(isEmpty && name === 'next')) links.set(name, target)
    }
  }
  return links
}

/** A next link in a Link header that is not written as RFC 8288 says, but for one that is marked as empty. */
export function unreadLink(header: string | readonly string[] | undefined, links: Links): Sign | undefined {
  if (links.has('next')) return undefined
  const outside = String(header ?? '').replaceAll(/<[^<>]*>/g, '')
  const isNext = /\brel\s*=[^,]*(?<![\w/-])next(?![\w/-])(?![^,]*results\s*=\s*"?false)/i.test(outside)
  return isNext ? { at: 'the Link header', ownName: 'link', value: undefined } : undefined
}

/** An object about paging links to the first, the previous and the last page beside the next one (Mailgun). */
export function isLinkedBack(members: readonly Member[]): boolean {
  return members.some(({ at, name, isHeader }) => {
    if (isHeader || name !== 'next') return false
    const around = at.slice(0, at.lastIndexOf('.') + 1)
    const isLink = (names: readonly string[]) =>
      members.some((each) => names.some((n) => each.at === around + n) && isAddressLike(idText(each.value) ?? ''))
    return isLink(['first']) && isLink(['prev', 'previous']) && isLink(['last'])
  })
}

const PREVIOUS = /^(?:has)?prev(?:ious)?(?:page)?(?:url|link|cursor|token)?$/

export function hasPrevious(links: Links, members: readonly Member[]): boolean {
  const isStated = ({ name, value }: Member) => PREVIOUS.test(name) && !isNothing(value)
  return links.has('prev') || links.has('previous') || members.some(isStated)
}
