import type { Wire } from '../../core/wire.ts'
import type { PageAnswer } from '../page-answer.ts'
import type { Told } from './counts.ts'

/** How far a list has been read, the page that is judged among it. */
export interface Progress {
  /** It was begun at its start, so that what came can be counted. */
  readonly isFromStart: boolean
  readonly count: number
  readonly pages: number
  /** Records on the first page. */
  readonly firstLength: number
  /** What led to this page was recognised. */
  readonly isFollowed: boolean
  /** The server was asked for some of the records: a total may count all. */
  readonly isFiltered: boolean
  /** The lowest count of the whole list that a page has told. */
  readonly told?: Told | undefined
}

export interface Doubt {
  /** A clause that says why it is not known. */
  readonly reason: string
  /** Nothing looks like more: the answer says nothing at all. */
  readonly isSilence: boolean
}

/** Why it is not known that the list ends with this page; undefined where it is known. */
export function doubtOf(page: PageAnswer, progress: Progress): Doubt | undefined {
  const reason = reasonOf(page, progress)
  if (reason !== undefined) return { reason, isSilence: false }
  const isSilent = !page.isEndKnown && page.items.length > 0 && !progress.isFollowed && !isTold(page, progress)
  return isSilent ? { reason: 'nothing in the answer says whether this is all', isSilence: true } : undefined
}

function reasonOf(page: PageAnswer, progress: Progress): string | undefined {
  const { isEndKnown, signs, isPart } = page
  if (page.nextAt === 'wire.paging') return undefined
  const shortfall = shortfallOf(page, progress)
  if (isEndKnown) return progress.isFiltered ? undefined : shortfall
  if (shortfall !== undefined || isTold(page, progress)) return shortfall
  if (isPart) return 'it is answered with 206, as a part'
  const sign = signs.find(({ isHint }) => !isHint)
  return sign && `${sign.at} looks as if there were more`
}

/** As many came as the server counts, neither more nor fewer. */
export function isWhole({ counts: { total } }: PageAnswer, { isFromStart, count }: Progress): boolean {
  return isFromStart && total?.count === count
}

/** As many came as the server counts, as records or as pages. */
function isTold({ counts }: PageAnswer, progress: Progress): boolean {
  const { isFromStart, count, pages } = progress
  if (!isFromStart) return false
  // Behind the first page a total below what came counts something else, such as the records of one page.
  const isReached = counts.total && (counts.total.count === count || (pages === 1 && counts.total.count < count))
  return isReached === true || (counts.pages !== undefined && pages >= counts.pages.count)
}

/** Records that go while a list is read leave fewer than it counted; a page that is missing is something else. */
function shortfallOf({ counts, isEndKnown }: PageAnswer, progress: Progress): string | undefined {
  const { isFromStart, count, pages, firstLength } = progress
  if (!isFromStart) return undefined
  const tolerated = pages > 1 && progress.isFollowed ? firstLength - 1 : 0
  for (const told of [counts.total, counts.atLeast]) {
    if (told && told.count - count > tolerated) return `${told.at} counts ${told.count} records, and ${count} came`
  }
  // How many pages there are may be told for another size than the one that was asked for.
  if (isEndKnown || !counts.pages || counts.pages.count <= pages) return undefined
  return `${counts.pages.at} counts ${counts.pages.count} pages, and ${pages} came`
}

/** The person's word for where the next page stands: an answer without it is the last. */
export function isWord(paging: Wire['paging']): boolean {
  return paging === 'cursor' || paging === 'next_url' || paging === 'link' || paging === 'none'
}
