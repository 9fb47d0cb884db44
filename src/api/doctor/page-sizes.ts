import { CrmError } from '../../core/errors.ts'
import { settingCommand, type Wire } from '../../core/wire.ts'
import { SIZE_PARAMETERS } from '../pages/names.ts'
import { type Finding, failed, notAsked, type Proposal } from './finding.ts'
import { askList, type CheckedList, countOf, isPage, type ListAnswer, pagingHint, statedDoubt } from './lists.ts'
import type { OpenApi } from './openapi.ts'
import type { Probe } from './probe.ts'

const check = 'largest_page'

/** The largest value of `wire.page_size`, then common maxima of servers. */
const SIZES = [1000, 500, 250, 200, 100, 50, 25, 10] as const

/** Replaced once the list has been read to its end: see prove-lists.ts. */
export const PERHAPS_TRUNCATED = 'which is either the whole list or the maximum of a page'

const SIZE_NAME = /limit|size|per_?page|count|top|first|max_?results|\btake\b/i

/** The setting for a server without the parameter. */
const NO_PARAMETER = 'none'

export interface PageSize {
  readonly finding: Finding
  /** The settings, with the parameter that works. */
  readonly wire: Wire
  readonly isHonoured: boolean
}

interface Counts {
  readonly one: number | undefined
  readonly two: number | undefined
}

/** Whether the page size parameter works; if it does not, searches for one that does. */
export async function checkPageSize(
  probe: Probe,
  { noun, wire, refusal }: { readonly noun: CheckedList; readonly wire: Wire; readonly refusal: CrmError | undefined },
  openapi: OpenApi | undefined,
): Promise<PageSize> {
  const name = wire.limitParam
  if (name === undefined)
    return search(probe, { noun, wire, openapi }, 'no page size is sent (wire.limit_param)', undefined)
  if (refusal) return search(probe, { noun, wire, openapi }, `${name} is refused: ${refusal.message}`, refusal)
  const counts = await countBoth(probe, noun, wire)
  const shown = `${name}=1 gives ${counts.one ?? 'no list'}, ${name}=2 gives ${counts.two ?? 'no list'}`
  const found = { parameter: name, asked_1: counts.one ?? null, asked_2: counts.two ?? null }
  if (isObeyed(counts)) {
    return { finding: { check: 'page_size', state: 'ok', seen: shown, found }, wire, isHonoured: true }
  }
  const withoutSize = counts.one === 1 ? 1 : countOf(await askList(probe, noun, wire, undefined))
  if (withoutSize === undefined || withoutSize < 2) {
    const seen = `${shown}: the list is too short to tell`
    return { finding: { check: 'page_size', state: 'unknown', seen, found }, wire, isHonoured: false }
  }
  if (counts.one !== 0) return search(probe, { noun, wire, openapi }, `${shown}: it is ignored`, undefined)
  const message = `cannot list ${noun}: with ${name} the list is empty, and without it has ${withoutSize} records`
  const error = new CrmError('bad_answer', message, {
    hint: `send no size: ${settingCommand(`wire.limit_param ${NO_PARAMETER}`, wire)}`,
  })
  return search(
    probe,
    { noun, wire, openapi },
    `${shown}, and without it ${withoutSize}: the server treats it as a filter`,
    error,
  )
}

interface Search {
  readonly noun: CheckedList
  readonly wire: Wire
  readonly openapi: OpenApi | undefined
}

/** `error`: the failure that the parameter in the settings causes, if it causes one. */
async function search(
  probe: Probe,
  { noun, wire, openapi }: Search,
  seen: string,
  error: CrmError | undefined,
): Promise<PageSize> {
  const name = await findName(probe, { noun, wire, openapi })
  const value = name ?? (error ? NO_PARAMETER : undefined)
  const proposals: Proposal[] = value === undefined ? [] : [{ setting: 'wire.limit_param', value }]
  const corrected = error || name !== undefined ? { ...wire, limitParam: name } : wire
  const more = name === undefined ? 'no other parameter was found' : `${name} works`
  const text = `${seen}; ${more}`
  const found = { parameter: name ?? null }
  const isHonoured = name !== undefined
  if (error) {
    const finding = { ...failed('page_size', error, proposals), seen: text, found }
    return { finding, wire: corrected, isHonoured }
  }
  // The setting disables the parameter.
  if (wire.limitParam === undefined && name === undefined) {
    return { finding: { check: 'page_size', state: 'ok', seen: text, found }, wire, isHonoured }
  }
  const hint = name === undefined ? 'the server chooses the size of its pages' : 'crm doctor --fix'
  return {
    finding: { check: 'page_size', state: 'warn', seen: text, found, hint, proposals },
    wire: corrected,
    isHonoured,
  }
}

/** A parameter that was seen to work; if the list is too short to show it, the first documented one that is not refused. */
async function findName(probe: Probe, { noun, wire, openapi }: Search): Promise<string | undefined> {
  const documented = (openapi?.list ?? []).filter(({ name, in: place }) => place === 'query' && SIZE_NAME.test(name))
  const names = documented.map(({ name }) => name)
  let accepted: string | undefined
  for (const name of new Set([...names, ...SIZE_PARAMETERS])) {
    if (name === wire.limitParam) continue
    if (!probe.hasTimeToSearch()) return accepted
    const tried = { ...wire, limitParam: name }
    const one = countOf(await askList(probe, noun, tried, 1))
    if (one === undefined || one > 1) continue
    const two = countOf(await askList(probe, noun, tried, 2))
    if (isObeyed({ one, two })) return name
    if (two === one && names.includes(name)) accepted ??= name
  }
  return accepted
}

async function countBoth(probe: Probe, noun: CheckedList, wire: Wire): Promise<Counts> {
  return { one: countOf(await askList(probe, noun, wire, 1)), two: countOf(await askList(probe, noun, wire, 2)) }
}

function isObeyed({ one, two }: Counts): boolean {
  return one === 1 && two === 2
}

export interface LargestList {
  readonly noun: CheckedList
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
  readonly listing: Extract<ListAnswer, { page: unknown }>
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

/** With this page size, `contacts list` refuses a full page without a next one instead of taking it for the whole list. */
function truncatedFinding({ size, listing, refusal }: Largest, wire: Wire): Finding {
  const came = listing.page.items.length
  const seen = `${came}: ${wire.limitParam}=${size} gives ${came}, ${PERHAPS_TRUNCATED}`
  const found = { largest: came, asked: size, came }
  const isRefused = refusal !== undefined && wire.pageSize > size
  if (!isRefused)
    return {
      check,
      state: 'warn',
      seen,
      found,
      hint: pagingHint(listing.page, wire),
      proposals: proposalsFor(came, wire),
    }
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
