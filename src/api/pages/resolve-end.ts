import type { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import type { Wire } from '../../core/wire.ts'
import { addressOn, type Position, withParameter } from '../errors/position.ts'
import { type Counting, countedPosition, countings, nextCounting, setCounted } from './counting.ts'
import { GIVEN_ID_PARAMETERS, isPageSize, SIZE_PARAMETERS } from './names.ts'
import { candidatesIn, cursorParameters, isAddressLike, type NextCandidate } from './next-candidates.ts'
import type { PageAnswer } from './page-answer.ts'
import { areMostlyNew, areSameRecords, areShifted, isBeyondEnd, isPlaceRefused, isSameRecord } from './same-records.ts'
import type { SeenRecords } from './seen-records.ts'

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

const END = { end: true } as const

/** No server is known with a smaller maximum: a shorter list is not truncated. */
const MIN_MAXIMUM = 10
/** The number of candidates tried from signs. */
const MAX_GUESSES = 20
/** The number of candidates tried from a smaller page. */
const MAX_CANDIDATES_BACK = 3

/** Sends requests until it is known whether there is a next page, and where. */
export async function resolveEnd(open: UnknownEnd): Promise<EndResult> {
  const { wire, counting } = open
  if (counting) return continueCounting(open, counting)
  if (open.isTotalDoubtful && (await isTotalProven(open))) return END
  if (wire.paging !== 'page' && wire.paging !== 'offset') {
    for (const candidate of signCandidates(open).slice(0, MAX_GUESSES)) {
      const found = await followCandidate(open, candidate)
      if (found) return found
    }
  }
  return open.isFromStart ? settleFirst(open) : { open: undefined }
}

/** After the first page, if nothing in it leads to another. */
async function settleFirst(open: UnknownEnd): Promise<EndResult> {
  const { page, url } = open.last
  const [first, ...others] = page.items.length === 0 ? [] : countings(page, url, open.wire)
  const counted = first && (await tryCounting(open, first))
  if (isResolved(counted)) return counted
  const sized = await trySize(open)
  if (isResolved(sized)) return sized
  return (await tryOtherCountings(open, others)) ?? counted ?? sized
}

/** Undefined if the candidate leads back or nowhere. */
export async function followCandidate(
  open: UnknownEnd,
  { position, parameter }: NextCandidate,
): Promise<EndResult | undefined> {
  const next = await open.ask(position)
  if ('refusal' in next) return undefined
  // The parameter is known, so this cursor marks the end.
  if (parameter !== undefined && parameter === open.wire.cursorParam && next.page.items.length === 0) return END
  const isEmptyEnd = 'address' in position && parameter === undefined && next.page.items.length === 0
  return isEmptyEnd || isNewPage(next.page, open) ? { next, parameter } : undefined
}

/** Whether most of its records are new. */
function isNewPage({ items }: PageAnswer, { last, seen }: UnknownEnd): boolean {
  return areMostlyNew(items, last.page.items) && seen.isNewPage(items)
}

function signCandidates({ last: { page, url }, wire }: Pick<UnknownEnd, 'last' | 'wire'>): readonly NextCandidate[] {
  return page.signs.flatMap(({ value, ownName }) => {
    if (value === undefined) return []
    if (!isAddressLike(value)) {
      const isLastId = value === idText(page.items.at(-1)?.id)
      const usual = [...(isLastId ? GIVEN_ID_PARAMETERS : []), ...cursorParameters(ownName, value), 'after']
      const names = wire.cursorParam === undefined ? [...new Set(usual)] : [wire.cursorParam]
      return candidatesIn(names, value, url)
    }
    const address = addressOn(url.origin, value, url.href)
    return address === undefined ? [] : [{ position: { address }, parameter: undefined }]
  })
}

/** The way of counting is proven by the pages before: an empty page, or the last page repeated, is the end. */
async function continueCounting(open: UnknownEnd, before: Counting): Promise<EndResult> {
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

/** Undefined if no other way of counting has an effect. */
async function tryOtherCountings(open: UnknownEnd, others: readonly Counting[]): Promise<EndResult | undefined> {
  if (others.length === 0) return undefined
  for (const counting of await effectiveCountings(open, others)) {
    const found = await tryCounting(open, counting)
    if (isResolved(found)) return found
  }
  return undefined
}

function isResolved(result: EndResult | undefined): result is Exclude<EndResult, { open: unknown }> {
  return result !== undefined && !('open' in result)
}

/** Parameters that may still be for paging on a server that treats unknown ones as filters. */
const PAGING_WORDS = /^(?:[_$].*|offset|skip|start)$/

/** Sends all parameters in one request first: if it has no effect, none has. */
async function effectiveCountings({ last, ask }: UnknownEnd, all: readonly Counting[]): Promise<readonly Counting[]> {
  const url = new URL(last.url)
  for (const counting of all) setCounted(url, counting)
  const answer = await ask({ address: url.pathname + url.search })
  if (!('refusal' in answer) && areSameRecords(answer.page.items, last.page.items)) return []
  const unknown = await ask(withParameter(last.url, 'crm_probe', '1'))
  const isFilter = !('refusal' in unknown) && unknown.page.items.length === 0
  return isFilter ? all.filter(({ parameter }) => PAGING_WORDS.test(parameter)) : all
}

async function tryCounting(open: UnknownEnd, counting: Counting): Promise<EndResult | undefined> {
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
  if (counting.kind === 'page') return isNewPage ? fromZero(open, counting, second) : undefined
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
  if (counting.kind === 'offset') {
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

/** A total that does not change with the page size is not the length of the page. */
export async function isTotalProven(open: UnknownEnd): Promise<boolean> {
  if (!open.isTotalDoubtful) return true
  const { counts, items } = open.last.page
  const fewer = items.length > 1 ? await askFewer(open, items.length - 1) : undefined
  return fewer !== undefined && fewer.page.counts.total?.count === counts.total?.count
}

/**
 * If the server obeys a page size, in any parameter, a page may be its maximum. If it does not, the answer is the whole list,
 * unless it has exactly the requested size or a common page size.
 */
async function trySize(open: UnknownEnd): Promise<EndResult> {
  const { length } = open.last.page.items
  const isFull = length === open.size
  if (!isFull && length < MIN_MAXIMUM) return { open: undefined }
  const fewer = length === 1 ? undefined : await askFewer(open, length - 1)
  if (fewer && (await isLastBehind(open, fewer))) return END
  const isObeyed = length === 1 || fewer !== undefined
  if (isFull && (isObeyed || length >= MIN_MAXIMUM))
    return { open: 'the first page has as many records as were requested' }
  if (isObeyed) return { open: `the server obeys the page size, and ${length} records may be its maximum` }
  const isCommon = isPageSize(length)
  return { open: isCommon ? `the server sent ${length} records, which is a common page size` : undefined }
}

/**
 * Some servers state a next page only if there is one (HubSpot, Airtable, Shopify). With a page size of one less, they state
 * a page with the last record alone, which is requested as proof: above its maximum, a server may state none.
 */
async function isLastBehind(open: UnknownEnd, fewer: ReceivedPage): Promise<boolean> {
  const { page } = open.last
  if (!isSilent(page)) return false
  const { next } = fewer.page
  const candidates = next ? [next] : signCandidates({ last: fewer, wire: open.wire }).map(({ position }) => position)
  for (const position of candidates.slice(0, MAX_CANDIDATES_BACK)) {
    const rest = await open.ask(position)
    if ('refusal' in rest || !isSilent(rest.page) || rest.page.items.length !== 1) continue
    if (isSameRecord(rest.page.items[0], page.items.at(-1))) return true
  }
  return false
}

function isSilent({ next, isPart, signs }: PageAnswer): boolean {
  return !next && !isPart && signs.every(({ isHint }) => isHint)
}

/** The answer with a smaller page size; undefined if the server does not obey it. */
async function askFewer({ last: { url }, wire, ask }: UnknownEnd, size: number): Promise<ReceivedPage | undefined> {
  const { limitParam } = wire
  const all = new URL(url)
  for (const name of [...SIZE_PARAMETERS, ...(limitParam === undefined ? [] : [limitParam])]) {
    all.searchParams.set(name, String(size))
  }
  const answer = await ask({ address: all.pathname + all.search })
  if (!('refusal' in answer) && answer.page.items.length > 0) return ofSize(answer, size)
  return limitParam === undefined ? undefined : ofSize(await ask(withParameter(url, limitParam, String(size))), size)
}

function ofSize(answer: ReceivedPage | { readonly refusal: CrmError }, size: number): ReceivedPage | undefined {
  return 'refusal' in answer || answer.page.items.length !== size ? undefined : answer
}
