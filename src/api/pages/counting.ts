import type { CrmError } from '../../core/errors.ts'
import type { Wire } from '../../core/wire.ts'
import { OFFSET_PARAMETERS, PAGE_NUMBER_PARAMETERS } from './names.ts'
import type { PageAnswer } from './page-answer.ts'
import type { Position } from './positions.ts'
import {
  areMostlyNew,
  areSameRecords,
  areShifted,
  isBeyondEnd,
  isPlaceRefused,
  isSameRecord,
  type SeenRecords,
} from './same-records.ts'

/** Paging by numbers: of the page, or of the records before it. */
export interface Counting {
  readonly type: 'page' | 'offset'
  readonly parameter: string
  /** The number of the last page, or of the records before it. */
  readonly at: number
}

/** A page and its address. */
export interface ReceivedPage {
  readonly page: PageAnswer
  readonly url: URL
}

/** A page after which it is unknown whether there are more. */
export interface UnknownEnd {
  readonly last: ReceivedPage
  /** All records so far, including the last page. */
  readonly seen: SeenRecords
  readonly firstLength: number
  /** Undefined if the list started in its middle, or is not counted. */
  readonly counting: Counting | undefined
  readonly isFromStart: boolean
  /** The requested page size. */
  readonly size: number | undefined
  /** The total equals the number of records on the first page, and may be the length of that page. */
  readonly isTotalDoubtful: boolean
  readonly wire: Pick<Wire, 'paging' | 'cursorParam' | 'limitParam'>
  /** Requests another page of the same list; `refusal` if the server refuses. */
  ask(position: Position): Promise<ReceivedPage | { readonly refusal: CrmError }>
}

/** The result of the additional requests. */
export type EndResult =
  /** The next page. */
  | { readonly next: ReceivedPage; readonly counting?: Counting; readonly parameter?: string | undefined }
  | { readonly end: true }
  /** No next page was found; a reason if the end is still unknown. */
  | { readonly open: string | undefined }

export const END = { end: true } as const

export type CountingWire = Pick<Wire, 'paging' | 'cursorParam'>

export function countedPosition(counting: Counting, url: URL): Position {
  const next = new URL(url)
  setCounted(next, counting)
  return { address: next.pathname + next.search }
}

/** `_start` comes with `_end`, which keeps its distance (react-admin): the length of the first page. */
export function setCounted(url: URL, { parameter, at }: Counting): void {
  const { searchParams } = url
  const length = Number(searchParams.get('_end') ?? at) - Number(searchParams.get('_start') ?? 0)
  searchParams.set(parameter, String(at))
  if (parameter === '_start') searchParams.set('_end', String(at + Math.max(1, length)))
}

/** The number of the next page. */
export function nextCounting(counting: Counting, { items }: Pick<PageAnswer, 'items'>): Counting {
  return { ...counting, at: counting.at + (counting.type === 'page' ? 1 : items.length) }
}

/** The number in the query of a request, to continue an earlier list. */
export function countingIn(url: URL, { paging, cursorParam }: CountingWire): Counting | undefined {
  const own = paging === 'page' || paging === 'offset' ? paging : undefined
  for (const [parameter, text] of url.searchParams) {
    const type = own && cursorParam !== undefined ? (parameter === cursorParam ? own : undefined) : typeOf(parameter)
    if (type !== undefined && /^\d{1,9}$/.test(text)) return { type, parameter, at: Number(text) }
  }
  return undefined
}

function typeOf(parameter: string): Counting['type'] | undefined {
  if (PAGE_NUMBER_PARAMETERS.some((name) => name === parameter)) return 'page'
  return OFFSET_PARAMETERS.some((name) => name === parameter) ? 'offset' : undefined
}

/** The second page by all ways of counting, most likely first. */
export function countings(
  { offsetName, items }: Pick<PageAnswer, 'offsetName' | 'items'>,
  url: URL,
  { paging, cursorParam }: CountingWire,
): readonly Counting[] {
  const page = (parameter: string): Counting => ({ type: 'page', parameter, at: 2 })
  const offset = (parameter: string): Counting => ({ type: 'offset', parameter, at: items.length })
  if (paging === 'page') return [page(cursorParam ?? 'page')]
  if (paging === 'offset') return [offset(cursorParam ?? 'offset')]
  const own = offsetName === undefined ? [] : [offset(offsetName), offset(`$${offsetName}`), offset(`_${offsetName}`)]
  const [first, ...others] = PAGE_NUMBER_PARAMETERS.map(page)
  const all = [...own, ...(first ? [first] : []), ...OFFSET_PARAMETERS.map(offset), ...others]
  const known = new Set<string>()
  // A parameter that is sent already is a filter or the page size.
  return all.filter(
    ({ parameter }) => !url.searchParams.has(parameter) && !known.has(parameter) && known.add(parameter),
  )
}

/** Whether most of its records are new. */
export function isNewPage({ items }: PageAnswer, { last, seen }: UnknownEnd): boolean {
  return areMostlyNew(items, last.page.items) && seen.isNewPage(items)
}

/** The way of counting is proven by the pages before: an empty page, or the last page repeated, is the end. */
export async function continueCounting(open: UnknownEnd, before: Counting): Promise<EndResult> {
  const { page, url } = open.last
  if (page.items.length === 0) return END
  const counting = nextCounting(before, page)
  const next = await open.ask(countedPosition(counting, url))
  if ('refusal' in next) {
    return isEnd(open, next.refusal, counting) ? END : refused(counting, next.refusal)
  }
  return resultOfCounting(open, next, counting)
}

/** A refusal other than 404 and 416 marks the end only after a page that is not full. */
function isEnd({ last, firstLength }: UnknownEnd, refusal: CrmError, { parameter }: Counting): boolean {
  const { status } = refusal.details
  const isPlain = status === 404 || status === 416 || last.page.items.length < firstLength
  return !last.page.next && isPlain && isBeyondEnd(refusal, parameter)
}

function resultOfCounting(open: UnknownEnd, next: ReceivedPage, counting: Counting): EndResult {
  const { page } = open.last
  const { items } = next.page
  if (next.page.next && areSameRecords(items, page.items))
    return { open: `${moreText(next.page)}, but repeats the page` }
  if (items.length === 0 || areSameRecords(items, page.items)) return END
  if (!open.seen.hasAll(items)) {
    if (isNewPage(next.page, open) || areShifted(items, page.items)) return { next, counting }
  } else if (isSameRecord(items.at(-1), page.items.at(-1))) return END
  return { open: `${counting.parameter}=${counting.at} repeats earlier records` }
}

export function moreText({ nextAt }: PageAnswer): string {
  return `${nextAt} states that there are more`
}

function refused({ parameter, at }: Counting, refusal: CrmError): EndResult {
  return { open: `${parameter}=${at} is refused: ${refusal.message}` }
}

export async function tryCounting(open: UnknownEnd, counting: Counting): Promise<EndResult | undefined> {
  const { page, url } = open.last
  const second = await open.ask(countedPosition(counting, url))
  if ('refusal' in second && !isPlaceRefused(second.refusal)) {
    return refused(counting, second.refusal)
  }
  if ('refusal' in second) {
    const proven = await proveEnd(open, counting)
    const isOther = proven && 'end' in proven && !isBeyondEnd(second.refusal, counting.parameter)
    return isOther ? refused(counting, second.refusal) : proven
  }
  if (second.page.items.length === 0) return proveEnd(open, counting)
  const isNewPage = areMostlyNew(second.page.items, page.items) || areShifted(second.page.items, page.items)
  if (counting.type === 'page') return isNewPage ? fromZero(open, counting, second) : undefined
  if (isSameRecord(second.page.items[0], page.items.at(-1))) return fromOne(open, counting, second)
  return isNewPage ? { next: second, counting } : undefined
}

/** If pages are numbered from 0, page 2 is the third. */
async function fromZero(open: UnknownEnd, counting: Counting, second: ReceivedPage): Promise<EndResult> {
  const { page, url } = open.last
  const one = await open.ask(countedPosition({ ...counting, at: 1 }, url))
  const isFromZero = !('refusal' in one) && areMostlyNew(one.page.items, page.items)
  return isFromZero ? { next: one, counting: { ...counting, at: 1 } } : { next: second, counting }
}

/** Records numbered from 1, as in SCIM (RFC 7644, 3.4.2.4): the last one is repeated. */
async function fromOne(open: UnknownEnd, before: Counting, second: ReceivedPage): Promise<EndResult | undefined> {
  const { page, url } = open.last
  if (second.page.items.length === 1) return END
  const counting = { ...before, at: before.at + 1 }
  const behind = await open.ask(countedPosition(counting, url))
  const isNewPage = !('refusal' in behind) && areMostlyNew(behind.page.items, page.items)
  return isNewPage ? { next: behind, counting } : undefined
}

/**
 * An empty page proves nothing if the server treats the parameter as a filter: the page before it must be the last one
 * received. Pages may be numbered from 0.
 */
async function proveEnd(open: UnknownEnd, counting: Counting): Promise<EndResult | undefined> {
  const { page, url } = open.last
  const { items } = page
  if (counting.type === 'offset') {
    if (open.wire.paging === 'offset') return END
    const answer = await open.ask(countedPosition({ ...counting, at: items.length - 1 }, url))
    const isLast = !('refusal' in answer) && answer.page.items.length === 1
    return isLast && isSameRecord(answer.page.items[0], items.at(-1)) ? END : undefined
  }
  for (const at of [1, 0]) {
    const answer = await open.ask(countedPosition({ ...counting, at }, url))
    if ('refusal' in answer) continue
    if (areSameRecords(answer.page.items, items)) return END
    if (at === 1 && areMostlyNew(answer.page.items, items)) return { next: answer, counting: { ...counting, at } }
  }
  return undefined
}
