import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, type JsonValue, valueAt } from '../../core/json.ts'
import { parseJson } from '../transport/answer.ts'
import { COUNT_NAMES, isPageSize, PAGE_NAMES, PAGES_NAMES, REMAINING_NAMES, TOTAL_NAMES } from './names.ts'

const NAMES = ['message', 'msg', 'warning', 'warnings', 'notice', 'notices']

const AROUND = [[], ['meta'], ['metadata'], ['pagination'], ['paging']]

const CUT =
  /\b(?:truncated|incomplete|partial|cut off|not all|only the first|limit (?:was )?(?:reached|exceeded)|timed out)\b/i

/** `Showing 7 of 237`; also `1-7 of 237`. */
const OF = /\b(\d[\d,]*)\s+(?:\w+\s+)?(?:out\s+)?of\s+(?:\w+\s+)?(\d[\d,]*)\b/gi

/** A quota of requests also has a number that remains. */
const QUOTA = /^(?:rate|ratelimit|limit|limits|quota|api|credits?|calls?|requests?|usage)$/

/** One value of an answer outside of the records. */
export interface Member {
  /** Its path (`meta.next_token`), or the name of a header. */
  readonly at: string
  /** Its own name in lower case without separators: `nexttoken`. */
  readonly name: string
  /** The words of its path, in lower case. */
  readonly words: readonly string[]
  /** The words of its own name. */
  readonly ownWords: readonly string[]
  /** Its own name, unchanged. */
  readonly ownName: string
  readonly value: JsonValue
  readonly isHeader: boolean
}

const MAX_DEPTH = 4
/** The limit for an answer that is one large object. */
const MAX_MEMBERS = 1000

/** Members of these are not about paging. */
const ASIDE =
  /^(?:schema|fields|columns|properties|definitions|labels|filters?|query|request|params|user|owner|rate_?limits?|quotas?|usage|debug|settings|permissions|aggregations|facets|included|errors?|warnings?|messages?)$/i

/** The values outside of the records. Lists are skipped, so that no member of a record is taken for one of the envelope. */
export function envelopeOf(json: JsonValue, headers: IncomingHttpHeaders): readonly Member[] {
  const members: Member[] = []
  walk(json, [], members, false)
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') continue
    // ASP.NET: `X-Pagination: {"TotalCount":45,"CurrentPage":1}`.
    const inside = value.startsWith('{') ? parseJson(value) : undefined
    if (inside === undefined) members.push(memberOf([name], value, true))
    else walk(inside, [name], members, true)
  }
  return members
}

function walk(value: JsonValue, path: readonly string[], members: Member[], isHeader: boolean): void {
  if (!isJsonObject(value) || path.length >= MAX_DEPTH) return
  for (const [key, inner] of Object.entries(value)) {
    if (members.length >= MAX_MEMBERS) return
    if (Array.isArray(inner) || ASIDE.test(key)) continue
    const at = [...path, key]
    if (isJsonObject(inner)) walk(inner, at, members, isHeader)
    else members.push(memberOf(at, inner, isHeader))
  }
}

function memberOf(path: readonly string[], value: JsonValue, isHeader: boolean): Member {
  const ownName = path.at(-1) ?? ''
  const words = path.flatMap(wordsOf)
  const ownWords = wordsOf(ownName)
  return { at: path.join('.'), name: ownWords.join(''), words, ownWords, ownName, value, isHeader }
}

/** `nextPageToken`, `next_page_token` and `Next-Page-Token` are the same three words. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
}

/** A member that may lead to more records, but is not recognised as a cursor. */
export interface Sign {
  readonly at: string
  readonly ownName: string
  /** The value to send back; undefined for a boolean. */
  readonly value: string | undefined
  /** It may mean something else: it is tried, but does not put the end in question. */
  readonly isHint?: boolean
}

/** A number of records or pages in a response. */
export interface StatedCount {
  readonly count: number
  /** Its member, such as `meta.total`. */
  readonly at: string
  /** It is part of a range, so it is not the length of the page. */
  readonly isOfRange?: true
}

export interface Counts {
  /** The number of records in the whole list. */
  readonly total: StatedCount | undefined
  /** The number of records, or the length of this page, depending on the server. */
  readonly atLeast: StatedCount | undefined
  readonly pages: StatedCount | undefined
  /** The number of records behind this page. */
  readonly remaining: StatedCount | undefined
}

/** The highest number of each kind, because lower ones may count a page. */
export function readCounts(members: readonly Member[], inTexts: readonly StatedCount[]): Counts {
  return {
    total: highestOf([rangeTotal(members), highest(members, TOTAL_NAMES)]),
    atLeast: highestOf([highest(members, COUNT_NAMES), statedSize(members), ...inTexts]),
    pages: highestOf([highest(members, PAGES_NAMES), pageOf(members)]),
    remaining: remainingOf(members),
  }
}

/** The highest count; the first of equal ones. */
export function highestOf(all: readonly (StatedCount | undefined)[]): StatedCount | undefined {
  return all.reduce((highest, each) => (each && (!highest || each.count > highest.count) ? each : highest), undefined)
}

/** For messages: a list that has fewer records than a response states. */
export function shortText({ at, count }: StatedCount, read: number): string {
  return `${at} states ${count} records, but the list has ${read}`
}

/** `size` may be the requested page size, that of this page, or that of the whole list. */
function statedSize(members: readonly Member[]): StatedCount | undefined {
  const stated = highest(members, new Set(['size']))
  return stated && !isPageSize(stated.count) ? stated : undefined
}

/** The number of records behind a page; undefined for a number of remaining requests. */
export function remainingOf(members: readonly Member[]): StatedCount | undefined {
  const isOfRecords = ({ words, isHeader }: Member) => !isHeader && !words.some((word) => QUOTA.test(word))
  return highest(members.filter(isOfRecords), REMAINING_NAMES)
}

/** `page: "1 of 34"`. */
function pageOf(members: readonly Member[]): StatedCount | undefined {
  for (const { name, value, at } of members) {
    if (!(PAGE_NAMES.has(name) || name === 'pagination') || typeof value !== 'string') continue
    const pages = /^\s*\d{1,9}\s*(?:of|\/)\s*(\d{1,9})\s*$/i.exec(value)?.[1]
    if (pages !== undefined) return { count: Number(pages), at }
  }
  return undefined
}

function highest(members: readonly Member[], names: ReadonlySet<string>): StatedCount | undefined {
  let found: StatedCount | undefined
  for (const { name, words, value, at } of members) {
    if (!names.has(name) || words.includes('shards')) continue
    const count = wholeNumber(typeof value === 'string' ? withoutMarks(value) : value)
    if (count !== undefined && (!found || count > found.count)) found = { count, at }
  }
  return found
}

/** `items 0-19/3000` (RFC 9110, 14.4), or a `range` in the body: `1-20 of 3000`. */
function rangeTotal(members: readonly Member[]): StatedCount | undefined {
  for (const { name, value, at } of members) {
    const text = name === 'range' && typeof value === 'string' ? value : ''
    const stated = /^\s*\d+\s*(?:-|–|to)\s*\d+\s*(?:of|\/)\s*(\d{1,15})\s*$/i.exec(text)?.[1]
    if (stated !== undefined) return { count: Number(stated), at, isOfRange: true }
  }
  const range = members.find(({ isHeader, name }) => isHeader && name === 'contentrange')
  const count = /\/\s*(\d{1,15})\s*$/.exec(String(range?.value ?? ''))?.[1]
  return count === undefined ? undefined : { count: Number(count), at: 'Content-Range', isOfRange: true }
}

/** `1,237`; a point may be a decimal point. */
function withoutMarks(text: string): string {
  return /^\d{1,3}(?:[,'\s_]\d{3})+$/.test(text) ? text.replaceAll(/\D/g, '') : text
}

/** As a number, or as its digits. */
export function wholeNumber(value: unknown): number | undefined {
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value)
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** Sentences beside the records: that the answer is a part, or the total number. */
export function readSentences(json: JsonValue): {
  readonly signs: readonly Sign[]
  readonly counts: readonly StatedCount[]
} {
  const texts = AROUND.flatMap((place) => NAMES.map((name) => [...place, name])).flatMap((place) =>
    textsIn(valueAt(json, place)).map((text) => ({ at: place.join('.'), text })),
  )
  return {
    signs: texts.flatMap(({ at, text }) => (CUT.test(text) ? [{ at, ownName: at, value: undefined }] : [])),
    counts: texts.flatMap(({ at, text }) => countsIn(text).map((count) => ({ count, at }))),
  }
}

export function isCutText(text: string): boolean {
  return CUT.test(text)
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.slice(0, 20).flatMap(textsIn)
  return isJsonObject(value) ? [value.message, value.text, value.detail].flatMap((each) => textsIn(each)) : []
}

function countsIn(text: string): readonly number[] {
  return [...text.matchAll(OF)].flatMap(([, part = '', whole = '']) => {
    const [shown, all] = [part, whole].map((digits) => Number(digits.replaceAll(',', ''))) as [number, number]
    return shown < all ? [all] : []
  })
}
