import type { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import {
  type Counting,
  continueCounting,
  countings,
  END,
  type EndResult,
  isNewPage,
  type ReceivedPage,
  setCounted,
  tryCounting,
  type UnknownEnd,
} from './counting.ts'
import { GIVEN_ID_PARAMETERS, isPageSize, SIZE_PARAMETERS } from './names.ts'
import type { PageAnswer } from './page-answer.ts'
import type { DisputedNext } from './page-next.ts'
import {
  addressOn,
  candidatesIn,
  cursorParameters,
  isAddressLike,
  type NextCandidate,
  withParameter,
} from './positions.ts'
import { areMostlyNew, areSameRecords, areShifted, isPlaceRefused, isSameRecord } from './same-records.ts'

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

/**
 * One member states that the list ends, and another one a next page: that page is requested. If it is empty, refused or a
 * repetition, the list ends; new records show that it goes on.
 */
export async function checkDisputedEnd(open: UnknownEnd, disputed: DisputedNext): Promise<EndResult> {
  const { page } = open.last
  const reason = `${page.nextAt} states that there are no more records, but ${disputed.at} states a next page`
  for (const { position, parameter } of [{ position: disputed.next, parameter: undefined }, ...disputed.others]) {
    const next = await open.ask(position)
    if (!('refusal' in next)) {
      const found = classifyPage(next.page, open)
      if (found === 'nothing') return { end: true }
      if (found === 'further') return { next, parameter }
      if (found === 'mixed') return { open: `${reason}, most of whose records were already received` }
    } else if (!isPlaceRefused(next.refusal)) return { open: `${reason}: ${next.refusal.message}` }
  }
  return { end: true }
}

function classifyPage(
  { items, next }: PageAnswer,
  { last, seen }: UnknownEnd,
): 'nothing' | 'further' | 'known' | 'mixed' {
  if (items.length === 0) return next ? 'further' : 'nothing'
  if (seen.hasAll(items)) return 'known'
  const before = last.page.items
  return areMostlyNew(items, before) || areShifted(items, before) ? 'further' : 'mixed'
}

/** A page that was read before the parameter for its cursor was known. */
export function pageInParameter(page: PageAnswer, parameter: string): PageAnswer {
  const placed = (others: readonly NextCandidate[]) =>
    others.find((candidate) => candidate.parameter === parameter)?.position
  const signs = page.signs.map((sign) => ({ ...sign, isHint: false }))
  const disputed = page.disputed && { ...page.disputed, next: placed(page.disputed.others) ?? page.disputed.next }
  return { ...page, signs, disputed, next: placed(page.others) ?? page.next }
}
