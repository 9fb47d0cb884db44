import type { CrmError } from '../../core/errors.ts'
import type { Wire } from '../../core/wire.ts'
import { type Finding, failed, notAsked } from './finding.ts'
import { askList, isPage, type Listing, type ListName, pagingHint, statedDoubt } from './listing.ts'
import type { OpenApi } from './openapi.ts'
import type { Probe } from './probe.ts'

const check = 'largest_page'

/** The largest value of `wire.page_size`, then common maxima of servers. */
const SIZES = [1000, 500, 250, 200, 100, 50, 25, 10] as const

export interface LargestList {
  readonly noun: ListName
  readonly wire: Wire
  /** Whether the page size parameter was seen to work. */
  readonly isHonoured: boolean
  /** Whether an answer was seen to state the next page; only then does an answer without one end the list. */
  readonly isPagingKnown: boolean
}

/** Requests smaller and smaller pages until the server accepts one. */
export async function checkLargest(
  probe: Probe,
  list: LargestList | undefined,
  openapi: OpenApi | undefined,
): Promise<Finding> {
  const outage = probe.outage()
  if (outage || !list) return notAsked(check, outage?.message ?? 'no list to check')
  const { noun, wire, isHonoured, isPagingKnown } = list
  const name = wire.limitParam
  if (name === undefined) return notAsked(check, 'no page size parameter is known')
  const documented = openapi?.list.find((parameter) => parameter.in === 'query' && parameter.name === name)?.maximum
  const tops =
    documented === undefined || documented > SIZES[0]
      ? SIZES
      : [SIZES[0], documented, ...SIZES.filter((size) => size < documented)]
  let refusal: { readonly size: number; readonly error: CrmError } | undefined
  for (const size of new Set(tops)) {
    const listing = await askList(probe, noun, wire, size)
    if (isPage(listing)) return largestFinding({ size, documented, listing, refusal, isHonoured, isPagingKnown }, wire)
    if (probe.outage()) return { check, state: 'unknown', seen: `unknown: ${name}=${size}: ${listing.error.message}` }
    refusal = { size, error: listing.error }
  }
  return refusal ? failed(check, refusal.error) : notAsked(check, 'no list to check')
}

interface Largest {
  readonly size: number
  /** The maximum in the OpenAPI document. */
  readonly documented: number | undefined
  readonly listing: Extract<Listing, { page: unknown }>
  /** The refusal of the size before it. */
  readonly refusal: { readonly size: number; readonly error: CrmError } | undefined
  readonly isHonoured: boolean
  readonly isPagingKnown: boolean
}

function largestFinding(answer: Largest, wire: Wire): Finding {
  const { size, documented, listing, refusal, isHonoured } = answer
  const { items, next } = listing.page
  const isShort = statedDoubt(listing.page) !== undefined
  const name = wire.limitParam
  if (isPerhapsTruncated(answer)) return truncatedFinding(answer, wire)
  const isWhole = !next && !isShort && items.length < size
  const document = documented === undefined ? '' : `; the OpenAPI document states ${documented}`
  const refused = refusal ? `; ${name}=${refusal.size} is refused: ${refusal.error.message}` : ''
  const gives = `${name}=${size} gives ${items.length}${isWhole ? `, ${PERHAPS_TRUNCATED}` : ''}${document}${refused}`
  const taken = refusal ? size : undefined
  const largest = isWhole || !isHonoured ? taken : Math.min(items.length, SIZES[0])
  const found = { largest: largest ?? documented ?? null, asked: size, came: items.length }
  // A refusal shows that the server reads the parameter, like a shorter page.
  if (largest === undefined && (!isHonoured || documented === undefined)) {
    return { check, state: 'unknown', seen: `unknown: ${gives}`, found }
  }
  const value = Math.min(largest ?? documented ?? size, SIZES[0])
  const seen = `${value}: ${gives}`
  const proposals = proposalsFor(value, wire)
  if (!refusal || wire.pageSize <= value) return { check, state: 'ok', seen, found, proposals }
  return { ...failed(check, refusal.error, proposals), seen: `${seen}; wire.page_size is ${wire.pageSize}`, found }
}

/** If no answer states a next page, a page shorter than requested is either the whole list or the maximum of the server. */
function isPerhapsTruncated({ size, listing, isHonoured, isPagingKnown }: Largest): boolean {
  const { items, next, isEndKnown } = listing.page
  return isHonoured && !isPagingKnown && !isEndKnown && !next && items.length > 0 && items.length < size
}

/** Replaced once the list has been read to its end: see prove-lists.ts. */
export const PERHAPS_TRUNCATED = 'which is either the whole list or the maximum of a page'

/** With this page size, `contacts list` refuses a full page without a next one instead of taking it for the whole list. */
function truncatedFinding({ size, listing, refusal }: Largest, wire: Wire): Finding {
  const came = listing.page.items.length
  const seen = `${came}: ${wire.limitParam}=${size} gives ${came}, ${PERHAPS_TRUNCATED}`
  const found = { largest: came, asked: size, came }
  const isRefused = refusal !== undefined && wire.pageSize > size
  if (!isRefused)
    return { check, state: 'warn', seen, found, hint: pagingHint(listing.page), proposals: proposalsFor(came, wire) }
  const documented = `${seen}; ${wire.limitParam}=${refusal.size} is refused; wire.page_size is ${wire.pageSize}`
  return {
    ...failed(check, refusal.error, proposalsFor(size, wire)),
    seen: documented,
    found: { ...found, largest: size },
  }
}

function proposalsFor(value: number, { pageSize }: Wire): NonNullable<Finding['proposals']> {
  return value === pageSize ? [] : [{ setting: 'wire.page_size', value: String(value) }]
}
