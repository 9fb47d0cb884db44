import type { CrmError } from '../../core/errors.ts'
import type { Wire } from '../../core/wire.ts'
import type { Rest } from '../operations.ts'
import { type CountingWire, countingIn, type ReceivedPage } from './counting.ts'
import { type Counts, highestOf, type StatedCount, shortText } from './envelope.ts'
import { isPageSize } from './names.ts'
import type { PageAnswer } from './page-answer.ts'

/** How far a list has been read, including the current page. */
export interface ListProgress {
  /** Read from its start, so that its records can be counted. */
  readonly isFromStart: boolean
  readonly count: number
  readonly pages: number
  /** The requested size of the first page. */
  readonly size?: number | undefined
  /** Records on the first page. */
  readonly firstLength: number
  /** This page was reached by a recognised cursor or link. */
  readonly isFollowed: boolean
  /** With filters, a total may count all records. */
  readonly isFiltered: boolean
  /** The lowest count of the whole list in any page. */
  readonly stated?: StatedCount | undefined
  /** The records of the first page and those that it states to remain. */
  readonly expected?: StatedCount | undefined
}

/** With one page more, `fresh` of whose records were not there before: a server may repeat some. */
export function progressWith(progress: ListProgress, page: PageAnswer, fresh: number): ListProgress {
  const isFirst = progress.pages === 0
  return {
    ...progress,
    pages: progress.pages + 1,
    count: progress.count + fresh,
    stated: lowestStated(progress.stated, page),
    ...(isFirst && { expected: expectedBy(page), firstLength: page.items.length }),
  }
}

export interface Doubt {
  /** A clause with the reason. */
  readonly reason: string
  /** The answer contains nothing about further pages. */
  readonly isSilence: boolean
  /** A stated number of records or pages was not reached. */
  readonly isShort?: boolean
}

/** Why it is unknown whether the list ends with this page; undefined when it ends. */
export function doubtOf(page: PageAnswer, progress: ListProgress): Doubt | undefined {
  const reason = reasonOf(page, progress)
  if (reason !== undefined) return { reason, isSilence: false, isShort: reason === shortfallOf(page, progress) }
  const isSilent = !page.isEndKnown && page.items.length > 0 && !progress.isFollowed && !isCountReached(page, progress)
  return isSilent ? { reason: 'nothing in the answer marks the end of the list', isSilence: true } : undefined
}

function reasonOf(page: PageAnswer, progress: ListProgress): string | undefined {
  const { isEndKnown, signs, isPart } = page
  if (page.nextAt === 'wire.paging') return undefined
  const shortfall = shortfallOf(page, progress)
  if (isEndKnown) return progress.isFiltered ? undefined : shortfall
  if (shortfall !== undefined || isCountReached(page, progress)) return shortfall
  if (isPart) return 'status 206 (Partial Content)'
  const sign = signs.find(({ isHint }) => !isHint)
  return sign && `${sign.at} suggests more records`
}

/** Whether records follow a page without a cursor; undefined if the list is known to end with it. */
export function restOf(doubt: Doubt | undefined, { isFiltered }: ListProgress, { paging }: Pick<Wire, 'paging'>) {
  if (!doubt || (doubt.isSilence && isPagingNamed(paging))) return undefined
  return doubt.isShort && !isFiltered ? 'some' : 'unknown'
}

/** The number of records equals the total of the server. */
export function isWhole({ counts: { total } }: PageAnswer, { isFromStart, count }: ListProgress): boolean {
  return isFromStart && total?.count === count
}

/** Keap states a next page on every page: the list ends at an empty page if all pages count as many records as were read. */
export function isEmptyBehindAll(page: PageAnswer, progress: ListProgress): boolean {
  return page.items.length === 0 && isAllCounted(page, progress)
}

function isAllCounted({ counts }: PageAnswer, { isFromStart, count, stated }: ListProgress): boolean {
  return isFromStart && stated?.count === count && listCount(counts)?.count === count
}

/** Whether records follow a page that states a next one; undefined if nothing contradicts it. */
export function restBehindNext(page: PageAnswer, progress: ListProgress): Rest | undefined {
  if (!isAllCounted(page, progress)) return undefined
  // A single page may count itself. A round number may be where the server stops counting (10,000 in Elasticsearch).
  const isProven = progress.pages > 1 && progress.count % 1000 !== 0
  return isProven && page.next && 'address' in page.next ? 'none' : 'unknown'
}

/** The total may be the length of the first page: both are the requested size, or a common page size. */
export function isTotalDoubtful(page: PageAnswer, progress: ListProgress): boolean {
  const { pages, count, size } = progress
  const isAmbiguous = pages === 1 && isWhole(page, progress) && page.counts.total?.isOfRange !== true
  return isAmbiguous && (isPageSize(count) || (count > 1 && count === size))
}

/** The number of records or pages has reached that of the server. */
function isCountReached(page: PageAnswer, progress: ListProgress): boolean {
  if (!progress.isFromStart) return false
  // A total below the number of records counts something else, and so does a number of pages that is 0.
  if (isWhole(page, progress) && !isTotalDoubtful(page, progress)) return true
  const { count = 0 } = page.counts.pages ?? {}
  return count > 0 && progress.pages >= count
}

/** Deletions during the read leave fewer records than were counted, but not a whole page fewer. */
function shortfallOf({ counts, isEndKnown }: PageAnswer, progress: ListProgress): string | undefined {
  const { isFromStart, count, pages, firstLength } = progress
  if (!isFromStart) return undefined
  const tolerated = pages > 1 && progress.isFollowed ? firstLength - 1 : 0
  for (const stated of [counts.total, counts.atLeast]) {
    if (stated && stated.count - count > tolerated) return shortText(stated, count)
  }
  // The number of pages may be for another page size.
  if (isEndKnown || !counts.pages || counts.pages.count <= pages) return undefined
  return `${counts.pages.at} states ${counts.pages.count} pages, but ${pages} ${pages === 1 ? 'was' : 'were'} read`
}

/** Whether wire.paging names the place of the next page: an answer without one is then the last. */
function isPagingNamed(paging: Wire['paging']): boolean {
  return paging === 'cursor' || paging === 'next_url' || paging === 'link' || paging === 'none'
}

/** Whether records were deleted between two pages that are counted by number or offset. */
export function isShrunk(before: ReceivedPage, after: ReceivedPage, limits: CountingWire): boolean {
  const [was, is] = [before.page.counts.total?.count ?? 0, after.page.counts.total?.count ?? Number.POSITIVE_INFINITY]
  // A total that falls by whole pages counts the records that remain.
  return is < was && was - is < before.page.items.length && countingIn(after.url, limits) !== undefined
}

/** The lowest count in any page, except in an empty one, which may count only itself. */
function lowestStated(before: StatedCount | undefined, { counts, items }: PageAnswer): StatedCount | undefined {
  const stated = listCount(counts)
  if (!stated || (before && (items.length === 0 || before.count <= stated.count))) return before
  return stated
}

/** The count of the whole list in a first page that states how many records remain. */
function expectedBy({ counts: { remaining }, items }: PageAnswer): StatedCount | undefined {
  return remaining && { count: items.length + remaining.count, at: `the first page with its ${remaining.at}` }
}

/** The higher count: the lower one may be the length of the page. */
function listCount({ total, atLeast }: Counts): StatedCount | undefined {
  return highestOf([total, atLeast])
}

/** The count that a list has not reached; undefined if it is unknown how many records its whole list has. */
export function unreachedCount(progress: ListProgress): StatedCount | undefined {
  const { isFromStart, isFiltered, count, stated, expected } = progress
  const highest = highestOf([stated, expected])
  return isFromStart && !isFiltered && highest && highest.count > count ? highest : undefined
}

/**
 * Why a list that has ended is incomplete: each page counts more records than the list had. After a deletion during the read
 * the first page counts fewer when it is requested again.
 */
export async function missingIn(
  progress: ListProgress,
  askFirst: () => Promise<ReceivedPage | { readonly refusal: CrmError }>,
): Promise<string | undefined> {
  const unreached = unreachedCount(progress)
  if (!unreached) return undefined
  const { count } = progress
  const again = await askFirst()
  const now = 'refusal' in again ? undefined : highestOf([listCount(again.page.counts), expectedBy(again.page)])
  if (now && now.count <= count) return undefined
  return shortText(unreached, count)
}
