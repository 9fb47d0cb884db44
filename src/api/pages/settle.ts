import type { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/exact-json.ts'
import type { Wire } from '../../core/wire.ts'
import { addressOn, type Position, withParameter } from '../errors/position.ts'
import { type Counting, countedPosition, countings, nextCounting } from './counting.ts'
import { cursorParameters, isAddressLike, type Lead, leadsIn } from './lead.ts'
import { GIVEN_ID_PARAMETERS, isPageSize, SIZE_PARAMETERS } from './names.ts'
import type { PageAnswer } from './page-answer.ts'
import { areFurther, areSameRecords, areShifted, isBeyond, isPlaceRefused, isSameRecord } from './same-records.ts'
import type { SeenRecords } from './seen-records.ts'

/** A page, and the address it came from. */
export interface Asked {
  readonly page: PageAnswer
  readonly url: URL
}

/** A page behind which it is not known whether there are more. */
export interface Open {
  readonly last: Asked
  /** All of the list so far, the last page among it. */
  readonly seen: SeenRecords
  readonly firstLength: number
  /** Undefined where the list was begun in its middle, or does not count. */
  readonly counting: Counting | undefined
  readonly isFromStart: boolean
  /** The size that was asked for. */
  readonly size: number | undefined
  /** The total equals the number of records on the first page, and may be the length of that page. */
  readonly isTotalDoubtful: boolean
  readonly wire: Pick<Wire, 'paging' | 'cursorParam' | 'limitParam'>
  /** Asks for another page of the same list; an error where the server refuses the question. */
  ask(position: Position): Promise<Asked | { readonly refusal: CrmError }>
}

/** What the further requests have shown. */
export type Settled =
  /** There are more, and these are the next. */
  | { readonly next: Asked; readonly counting?: Counting; readonly parameter?: string | undefined }
  | { readonly end: true }
  /** Nothing leads on: why that does not settle it, where it does not. */
  | { readonly open: string | undefined }

const END = { end: true } as const

/** No server is known whose pages hold fewer than this at most: a shorter list is not cut. */
const LEAST_MAXIMUM = 10
/** Of the leads of signs, which are guesses. */
const MOST_GUESSES = 20
/** Of those that a smaller page gives to its last record. */
const MOST_LEADS_BACK = 3

/** Asks until it is known whether the list goes on behind a page, and where. */
export async function settle(open: Open): Promise<Settled> {
  const { wire, counting } = open
  if (counting) return goOnCounting(open, counting)
  if (open.isTotalDoubtful && (await isTotalProven(open))) return END
  if (wire.paging !== 'page' && wire.paging !== 'offset') {
    for (const lead of signLeads(open).slice(0, MOST_GUESSES)) {
      const found = await followLead(open, lead)
      if (found) return found
    }
  }
  return open.isFromStart ? settleFirst(open) : { open: undefined }
}

/** Behind the first page, where nothing in it leads on. */
async function settleFirst(open: Open): Promise<Settled> {
  const { page, url } = open.last
  const [first, ...others] = page.items.length === 0 ? [] : countings(page, url, open.wire)
  const counted = first && (await tryCounting(open, first))
  if (isSettled(counted)) return counted
  const sized = await trySize(open)
  if (isSettled(sized)) return sized
  return (await tryOthers(open, others)) ?? counted ?? sized
}

/** Undefined where it leads back, or nowhere. */
export async function followLead(open: Open, { position, parameter }: Lead): Promise<Settled | undefined> {
  const next = await open.ask(position)
  if ('refusal' in next) return undefined
  // The parameter is known: nothing is behind this cursor.
  if (parameter !== undefined && parameter === open.wire.cursorParam && next.page.items.length === 0) return END
  const isEmptyEnd = 'address' in position && parameter === undefined && next.page.items.length === 0
  return isEmptyEnd || isFurther(next.page, open) ? { next, parameter } : undefined
}

/** More than a few of its records came neither with the last page nor before it. */
function isFurther({ items }: PageAnswer, { last, seen }: Open): boolean {
  return areFurther(items, last.page.items) && seen.isFurther(items)
}

function signLeads({ last: { page, url }, wire }: Pick<Open, 'last' | 'wire'>): readonly Lead[] {
  return page.signs.flatMap(({ value, ownName }) => {
    if (value === undefined) return []
    if (!isAddressLike(value)) {
      const isLastId = value === idText(page.items.at(-1)?.id)
      const usual = [...(isLastId ? GIVEN_ID_PARAMETERS : []), ...cursorParameters(ownName, value), 'after']
      const names = wire.cursorParam === undefined ? [...new Set(usual)] : [wire.cursorParam]
      return leadsIn(names, value, url)
    }
    const address = addressOn(url.origin, value, url.href)
    return address === undefined ? [] : [{ position: { address }, parameter: undefined }]
  })
}

/** The way is known by the pages before: an empty page is the end, and so is the last one again. */
async function goOnCounting(open: Open, before: Counting): Promise<Settled> {
  const { page, url } = open.last
  if (page.items.length === 0) return END
  const counting = nextCounting(before, page)
  const next = await open.ask(countedPosition(counting, url))
  if ('refusal' in next) {
    return isEnd(open, next.refusal, counting) ? END : refused(counting, next.refusal)
  }
  return behindCounting(open, next, counting)
}

/** A refusal in words, other than 404 and 416, is believed behind a page that is not full. */
function isEnd({ last, firstLength }: Open, refusal: CrmError, { parameter }: Counting): boolean {
  const { status } = refusal.details
  const isPlain = status === 404 || status === 416 || last.page.items.length < firstLength
  return !last.page.next && isPlain && isBeyond(refusal, parameter)
}

function behindCounting(open: Open, next: Asked, counting: Counting): Settled {
  const { page } = open.last
  const { items } = next.page
  if (next.page.next && areSameRecords(items, page.items)) return { open: `${moreText(next.page)} again and again` }
  if (items.length === 0 || areSameRecords(items, page.items)) return END
  if (!open.seen.hasAll(items)) {
    if (isFurther(next.page, open) || areShifted(items, page.items)) return { next, counting }
  } else if (isSameRecord(items.at(-1), page.items.at(-1))) return END
  return { open: `${counting.parameter}=${counting.at} holds records that came before` }
}

export function moreText({ nextAt }: PageAnswer): string {
  return `${nextAt} says that there are more`
}

function refused({ parameter, at }: Counting, refusal: CrmError): Settled {
  return { open: `${parameter}=${at} is refused: ${refusal.message}` }
}

/** Undefined where no other way of counting does anything. */
async function tryOthers(open: Open, others: readonly Counting[]): Promise<Settled | undefined> {
  if (others.length === 0) return undefined
  for (const counting of await worthTrying(open, others)) {
    const found = await tryCounting(open, counting)
    if (isSettled(found)) return found
  }
  return undefined
}

function isSettled(settled: Settled | undefined): settled is Exclude<Settled, { open: unknown }> {
  return settled !== undefined && !('open' in settled)
}

/** What a server that takes unknown parameters for filters may take for paging all the same. */
const OWN_WORDS = /^(?:[_$].*|offset|skip|start)$/

/** All are asked at once first, which spares a server that counts nothing a request for each. */
async function worthTrying({ last, ask }: Open, all: readonly Counting[]): Promise<readonly Counting[]> {
  const url = new URL(last.url)
  for (const { parameter, at } of all) url.searchParams.set(parameter, String(at))
  const answer = await ask({ address: url.pathname + url.search })
  if (!('refusal' in answer) && areSameRecords(answer.page.items, last.page.items)) return []
  const unknown = await ask(withParameter(last.url, 'crm_probe', '1'))
  const isFilter = !('refusal' in unknown) && unknown.page.items.length === 0
  return isFilter ? all.filter(({ parameter }) => OWN_WORDS.test(parameter)) : all
}

async function tryCounting(open: Open, counting: Counting): Promise<Settled | undefined> {
  const { page, url } = open.last
  const second = await open.ask(countedPosition(counting, url))
  if ('refusal' in second && !isPlaceRefused(second.refusal)) {
    return refused(counting, second.refusal)
  }
  if ('refusal' in second) {
    const proven = await proveEnd(open, counting)
    const isOther = proven && 'end' in proven && !isBeyond(second.refusal, counting.parameter)
    return isOther ? refused(counting, second.refusal) : proven
  }
  if (second.page.items.length === 0) return proveEnd(open, counting)
  const isFurther = areFurther(second.page.items, page.items) || areShifted(second.page.items, page.items)
  if (counting.kind === 'page') return isFurther ? fromZero(open, counting, second) : undefined
  if (isSameRecord(second.page.items[0], page.items.at(-1))) return fromOne(open, counting, second)
  return isFurther ? { next: second, counting } : undefined
}

/** Of pages that are counted from 0 the page 2 is the third. */
async function fromZero(open: Open, counting: Counting, second: Asked): Promise<Settled> {
  const { page, url } = open.last
  const one = await open.ask(countedPosition({ ...counting, at: 1 }, url))
  const isFromZero = !('refusal' in one) && areFurther(one.page.items, page.items)
  return isFromZero ? { next: one, counting: { ...counting, at: 1 } } : { next: second, counting }
}

/** Records that are counted from 1, as SCIM has it (RFC 7644, 3.4.2.4): the last one came again. */
async function fromOne(open: Open, before: Counting, second: Asked): Promise<Settled | undefined> {
  const { page, url } = open.last
  if (second.page.items.length === 1) return END
  const counting = { ...before, at: before.at + 1 }
  const behind = await open.ask(countedPosition(counting, url))
  const isFurther = !('refusal' in behind) && areFurther(behind.page.items, page.items)
  return isFurther ? { next: behind, counting } : undefined
}

/**
 * An empty page proves nothing where the parameter is taken for a filter: the page before it must be the one that came. Of
 * pages that are counted from 0 it is the second one.
 */
async function proveEnd(open: Open, counting: Counting): Promise<Settled | undefined> {
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
    if (at === 1 && areFurther(answer.page.items, items)) return { next: answer, counting: { ...counting, at } }
  }
  return undefined
}

/** A total that stays when a page has fewer records is not the length of the page. */
export async function isTotalProven(open: Open): Promise<boolean> {
  if (!open.isTotalDoubtful) return true
  const { counts, items } = open.last.page
  const fewer = items.length > 1 ? await askFewer(open, items.length - 1) : undefined
  return fewer !== undefined && fewer.page.counts.total?.count === counts.total?.count
}

/**
 * Of a server that takes a size, in whatever parameter, a page may be all that it gives at once; of one that does not, the
 * answer is the whole, unless it has exactly the size asked for or a common page size.
 */
async function trySize(open: Open): Promise<Settled> {
  const { length } = open.last.page.items
  const isFull = length === open.size
  if (!isFull && length < LEAST_MAXIMUM) return { open: undefined }
  const fewer = length === 1 ? undefined : await askFewer(open, length - 1)
  if (fewer && (await isLastBehind(open, fewer))) return END
  const isObeyed = length === 1 || fewer !== undefined
  if (isFull && (isObeyed || length >= LEAST_MAXIMUM)) return { open: 'its first page is as long as was asked for' }
  if (isObeyed) return { open: `a size is obeyed, and ${length} records may be all that the server gives at once` }
  const isCommon = isPageSize(length)
  return { open: isCommon ? `the server sent ${length} records, which is a common page size` : undefined }
}

/**
 * A server that names a next page only where there is one (HubSpot, Airtable, Shopify): behind one record fewer it names a
 * page that has the last record alone. The name by itself proves nothing: a server may leave it out above its own maximum.
 */
async function isLastBehind(open: Open, fewer: Asked): Promise<boolean> {
  const { page } = open.last
  if (!isSilent(page)) return false
  const { next } = fewer.page
  const leads = next ? [next] : signLeads({ last: fewer, wire: open.wire }).map(({ position }) => position)
  for (const position of leads.slice(0, MOST_LEADS_BACK)) {
    const rest = await open.ask(position)
    if ('refusal' in rest || !isSilent(rest.page) || rest.page.items.length !== 1) continue
    if (isSameRecord(rest.page.items[0], page.items.at(-1))) return true
  }
  return false
}

function isSilent({ next, isPart, signs }: PageAnswer): boolean {
  return !next && !isPart && signs.every(({ isHint }) => isHint)
}

/** The answer to a smaller size; undefined where the server does not obey it. */
async function askFewer({ last: { url }, wire, ask }: Open, size: number): Promise<Asked | undefined> {
  const { limitParam } = wire
  const all = new URL(url)
  for (const name of [...SIZE_PARAMETERS, ...(limitParam === undefined ? [] : [limitParam])]) {
    all.searchParams.set(name, String(size))
  }
  const answer = await ask({ address: all.pathname + all.search })
  if (!('refusal' in answer) && answer.page.items.length > 0) return ofSize(answer, size)
  return limitParam === undefined ? undefined : ofSize(await ask(withParameter(url, limitParam, String(size))), size)
}

function ofSize(answer: Asked | { readonly refusal: CrmError }, size: number): Asked | undefined {
  return 'refusal' in answer || answer.page.items.length !== size ? undefined : answer
}
