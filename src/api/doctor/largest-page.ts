import type { CrmError } from '../../core/errors.ts'
import type { Wire } from '../../core/wire.ts'
import { type Finding, failed, notAsked } from './finding.ts'
import { askList, isPage, type Listing, type ListName, tellingDoubt, wayHint } from './listing.ts'
import type { OpenApi } from './openapi.ts'
import type { Probe } from './probe.ts'

const check = 'largest_page'

/** The most that `wire.page_size` takes, and what servers that refuse it usually take instead. */
const SIZES = [1000, 500, 250, 200, 100, 50, 25, 10] as const

export interface LargestList {
  readonly noun: ListName
  readonly wire: Wire
  /** Whether the parameter for the size was seen to do what it says. */
  readonly isHonoured: boolean
  /** Whether a longer list was seen to say how it goes on: only then is one that says nothing whole. */
  readonly isWayOnKnown: boolean
}

/** Asks for more and more modest pages until the server gives one. */
export async function checkLargest(
  probe: Probe,
  list: LargestList | undefined,
  openapi: OpenApi | undefined,
): Promise<Finding> {
  const silence = probe.silence()
  if (silence || !list) return notAsked(check, silence?.message ?? 'there is no list to look at')
  const { noun, wire, isHonoured, isWayOnKnown } = list
  const name = wire.limitParam
  if (name === undefined) return notAsked(check, 'no parameter for the size is known')
  const told = openapi?.list.find((parameter) => parameter.in === 'query' && parameter.name === name)?.maximum
  const tops = told === undefined || told > SIZES[0] ? SIZES : [SIZES[0], told, ...SIZES.filter((size) => size < told)]
  let refusal: { readonly size: number; readonly error: CrmError } | undefined
  for (const size of new Set(tops)) {
    const listing = await askList(probe, noun, wire, size)
    if (isPage(listing)) return largestFinding({ size, told, listing, refusal, isHonoured, isWayOnKnown }, wire)
    if (probe.silence())
      return { check, state: 'unknown', seen: `not known: ${name}=${size}: ${listing.error.message}` }
    refusal = { size, error: listing.error }
  }
  return refusal ? failed(check, refusal.error) : notAsked(check, 'there is no list')
}

interface Largest {
  readonly size: number
  /** By the document. */
  readonly told: number | undefined
  readonly listing: Extract<Listing, { page: unknown }>
  /** Of the size before it. */
  readonly refusal: { readonly size: number; readonly error: CrmError } | undefined
  readonly isHonoured: boolean
  readonly isWayOnKnown: boolean
}

function largestFinding(answer: Largest, wire: Wire): Finding {
  const { size, told, listing, refusal, isHonoured } = answer
  const { items, next } = listing.page
  const isShort = tellingDoubt(listing.page) !== undefined
  const name = wire.limitParam
  if (isPerhapsCut(answer)) return cutFinding(answer, wire)
  const isWhole = !next && !isShort && items.length < size
  const document = told === undefined ? '' : `; the document says ${told}`
  const refused = refusal ? `; ${name}=${refusal.size} is refused: ${refusal.error.message}` : ''
  const gives = `${name}=${size} gives ${items.length}${isWhole ? ', the whole list' : ''}${document}${refused}`
  const taken = refusal ? size : undefined
  const largest = isWhole || !isHonoured ? taken : Math.min(items.length, SIZES[0])
  const found = { largest: largest ?? told ?? null, asked: size, came: items.length }
  // A refusal shows as well as a shorter page that the parameter is read.
  if (largest === undefined && (!isHonoured || told === undefined)) {
    return { check, state: 'unknown', seen: `not known: ${gives}`, found }
  }
  const value = Math.min(largest ?? told ?? size, SIZES[0])
  const seen = `${value}: ${gives}`
  const proposals = proposalsFor(value, wire)
  if (!refusal || wire.pageSize <= value) return { check, state: 'ok', seen, found, proposals }
  return { ...failed(check, refusal.error, proposals), seen: `${seen}; wire.page_size is ${wire.pageSize}`, found }
}

/** Of a list that never says how it goes on, a page shorter than was asked for is the end, or all that the server gives at once. */
function isPerhapsCut({ size, listing, isHonoured, isWayOnKnown }: Largest): boolean {
  const { items, next, isEndKnown } = listing.page
  return isHonoured && !isWayOnKnown && !isEndKnown && !next && items.length > 0 && items.length < size
}

/** Replaced when reading the list to its end has shown which it is: see prove-lists.ts. */
export const PERHAPS_CUT = 'which is the whole list or all that a page holds: nothing says which'

/** With pages of this size `contacts list` refuses a page that is full and names no other, in place of taking it for the whole. */
function cutFinding({ size, listing, refusal }: Largest, wire: Wire): Finding {
  const came = listing.page.items.length
  const seen = `${came}: ${wire.limitParam}=${size} gives ${came}, ${PERHAPS_CUT}`
  const found = { largest: came, asked: size, came }
  const isRefused = refusal !== undefined && wire.pageSize > size
  if (!isRefused)
    return { check, state: 'warn', seen, found, hint: wayHint(listing.page), proposals: proposalsFor(came, wire) }
  const told = `${seen}; ${wire.limitParam}=${refusal.size} is refused; wire.page_size is ${wire.pageSize}`
  return { ...failed(check, refusal.error, proposalsFor(size, wire)), seen: told, found: { ...found, largest: size } }
}

function proposalsFor(value: number, { pageSize }: Wire): NonNullable<Finding['proposals']> {
  return value === pageSize ? [] : [{ setting: 'wire.page_size', value: String(value) }]
}
