import { addressOn, readLinks } from '../api/pages/links.ts'
import { CrmError } from '../core/errors.ts'
import { idText, type JsonObject } from '../core/json.ts'
import { CURSORS, LAST_IDS, LOOSE_CURSORS, OFFSETS, PAGES } from './names.ts'
import {
  areSame,
  itemsAt,
  type ListPlace,
  type PageAddress,
  type ProbingHttp,
  pageAt,
  recordKey,
  type SeenPage,
} from './pages.ts'
import type { StatedValue } from './records-in.ts'
import { doubtOf, signOfMore } from './signs.ts'

/** A longer list is read up to here. */
const MOST_RECORDS = 2000
const MOST_PAGES = 50

/** So many requests are tried for the second page. */
const MOST_TRIALS = 120

/** One way from a page to the next, in the grammar of `paging`. */
export type PagingStep =
  | { readonly by: 'link' }
  | { readonly by: 'next_url'; readonly next: string }
  | { readonly by: 'cursor'; readonly param: string; readonly next: string }
  | { readonly by: 'last'; readonly param: string }
  | { readonly by: 'page' | 'offset'; readonly param: string; readonly start?: number }

/** A list as one step reads it from page to page; the connector has no part in it. */
export interface Reading {
  /** Undefined: no second page was found. */
  readonly step: PagingStep | undefined
  readonly pages: readonly SeenPage[]
  readonly records: readonly JsonObject[]
  /** How the page behind the last one shows the end. */
  readonly end: 'stated' | 'empty' | 'refused' | 'cut'
  /** Why it is not known to be whole. */
  readonly doubt: string | undefined
}

/** The parameter of the page size, and a size. */
export interface Sized {
  readonly param: string
  readonly max: number
}

interface Walk {
  readonly http: ProbingHttp
  readonly place: ListPlace
  /** Sent with each request that is not an address of the server. */
  readonly sizes: Readonly<Record<string, string>>
  readonly first: SeenPage
}

/** Reads the list by the first step that leads to a second page with other records; without one, that one page. */
export async function readByTrials(http: ProbingHttp, place: ListPlace, size?: Sized): Promise<Reading> {
  const sizes = size ? { [size.param]: String(size.max) } : {}
  const first = await pageAt(http, place, { query: sizes })
  if (first instanceof CrmError) throw first
  const walk = { http, place, sizes, first }
  const trials = [...statedSteps(first, lastIdOf(first, place)), ...usualSteps()].slice(0, MOST_TRIALS)
  for (const step of trials) {
    const exact = await checkedStep(walk, step)
    const reading = exact && (await readOn(walk, exact))
    if (reading) return reading
  }
  const { items } = first
  const doubt = signOfMore(first) ?? doubtOf([first], items.length)
  return { step: undefined, pages: [first], records: items, end: 'stated', doubt }
}

const NEXT =
  /next|cursor|token|after|continu|marker|bookmark|scroll|end|offset|position|from|since|resume|last_?(?:id|key|evaluated_?key)/
const OTHER = /prev|before|self|first|last(?!_?(?:id|key|evaluated))|total|count|size|limit|depend|rendered|extend/

/** The ways that the first page names, the most telling first: an address, then a cursor with each parameter that may carry it. */
function statedSteps({ answer, stated }: SeenPage, lastId: string | undefined): readonly PagingStep[] {
  // The id of the last record is a cursor under any name.
  const isNamed = ({ path, value }: StatedValue) =>
    (NEXT.test(path.toLowerCase()) && !OTHER.test(path.toLowerCase())) || (idText(value) ?? '') === lastId
  const named = stated
    .filter(isNamed)
    .toSorted((one, other) => Number(/next/i.test(other.path)) - Number(/next/i.test(one.path)))
  const isUrl = ({ value }: StatedValue) => typeof value === 'string' && isAddress(value)
  const cursors = named.filter((each) => !isUrl(each) && (idText(each.value) ?? '') !== '')
  const by = (next: string, params: readonly string[]) =>
    params.map((param) => ({ by: 'cursor', param, next }) as const)
  const steps: readonly PagingStep[] = [
    ...(readLinks(answer.headers.link).has('next') ? [{ by: 'link' } as const] : []),
    ...named.filter(isUrl).map(({ path }) => ({ by: 'next_url', next: path }) as const),
    ...cursors.flatMap(({ path }) => by(path, ownParameters(path))),
    ...cursors.flatMap(({ path, value }) => by(path, typeof value === 'number' ? NUMBERED : USUAL_CURSORS)),
  ]
  return [...new Map(steps.map((step) => [JSON.stringify(step), step])).values()]
}

const NUMBERED = [...PAGES.slice(0, 3), 'offset', 'skip', 'start', 'after', 'from', 'since']
const USUAL_CURSORS = [...CURSORS, 'page', 'offset', 'next', 'token', ...LOOSE_CURSORS]

/** Under its own name, without `next`, and by the last word of it: `continueFrom` is sent as `from`. */
function ownParameters(path: string): readonly string[] {
  const own = /([^.[\]=]*)\]?$/.exec(path)?.[1] ?? ''
  const bare = own.replace(/^next[-_]?(?=\w)|(?<=\w)[-_]?next$/i, '').replace(/^_+/, '')
  const camel = own.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())
  const last = /[A-Z]?[^A-Z_-]*$/.exec(own)?.[0].toLowerCase() ?? ''
  return [bare.charAt(0).toLowerCase() + bare.slice(1), own, camel, last].filter((name) => name !== '')
}

/** The ways that no answer names: parameters in use elsewhere. */
function usualSteps(): readonly PagingStep[] {
  const by = <By extends 'page' | 'offset' | 'last'>(way: By, params: readonly string[]) =>
    params.map((param) => ({ by: way, param }))
  return [...by('page', PAGES), ...by('offset', OFFSETS), ...by('last', LAST_IDS)]
}

/** Whether a text looks like an address, possibly relative (RFC 3986, 4.2). */
function isAddress(text: string): boolean {
  return /^(?:https?:\/\/|[/?]|\.\.?\/)|^[\w.~%/-]+\?[\w.~%$[\]-]+=/i.test(text)
}

/** The step with the number from which it counts; undefined where the server does not read its parameter. */
async function checkedStep(walk: Walk, step: PagingStep): Promise<PagingStep | undefined> {
  if (step.by !== 'page' && step.by !== 'offset') return step
  const { http, place, sizes, first } = walk
  const at = (value: number) => itemsAt(http, place, { ...sizes, [step.param]: String(value) })
  const usual = step.by === 'page' ? 1 : 0
  const behind = await at(step.by === 'page' ? 2 : first.items.length)
  if (behind === undefined || behind.length === 0 || areSame(behind, first.items, place)) return undefined
  for (const start of [usual, 1 - usual]) {
    if (areSame(await at(start), first.items, place)) return start === usual ? step : { ...step, start }
  }
  return undefined
}

/** Reads from page to page. Undefined where the second page has no other records. */
async function readOn(walk: Walk, step: PagingStep): Promise<Reading | undefined> {
  const { place, first } = walk
  const pages = [first]
  const records = [...first.items]
  const known = new Set(records.map((record) => recordKey(record, place)))
  for (;;) {
    const page = pages.at(-1) ?? first
    const next = nextBy(step, page, { records: records.length, pages: pages.length, lastId: lastIdOf(page, place) })
    const shown = next && (await pageBy(walk, next))
    const fresh = shown && 'items' in shown ? shown.items.filter((record) => !known.has(recordKey(record, place))) : []
    const end = endAt({ step, shown, fresh, pages: pages.length })
    if (end === 'none') return undefined
    if (end) return { step, pages, records, end: end.end, doubt: end.doubt ?? doubtOf(pages, records.length) }
    pages.push(shown as SeenPage)
    for (const record of fresh) known.add(recordKey(record, place))
    records.push(...fresh)
    if (isEnough(pages.length, records.length)) return { step, pages, records, end: 'cut', doubt: undefined }
  }
}

function pageBy({ http, place, sizes }: Walk, next: PageAddress): Promise<SeenPage | CrmError> {
  return pageAt(http, place, 'query' in next ? { query: { ...sizes, ...next.query } } : next)
}

interface Seen {
  /** All so far. */
  readonly records: number
  readonly pages: number
  readonly lastId: string | undefined
}

/** The place of the next page by a step; undefined where the answer names none, which is its end. */
function nextBy(step: PagingStep, page: SeenPage, { records, pages, lastId }: Seen): PageAddress | undefined {
  const { stated, url, answer } = page
  const valueAt = (path: string) => stated.find((each) => each.path === path)?.value
  const toAddress = (target: string | undefined) => {
    const address = target === undefined ? undefined : addressOn(url.origin, target, url.href)
    return address === undefined ? undefined : { address }
  }
  const asQuery = (text: string | undefined) =>
    text === undefined || text === '' || !('param' in step) ? undefined : { query: { [step.param]: text } }
  switch (step.by) {
    case 'link':
      return toAddress(readLinks(answer.headers.link).get('next'))
    case 'next_url': {
      const value = valueAt(step.next)
      return toAddress(typeof value === 'string' && value !== '' ? value : undefined)
    }
    case 'cursor':
      return asQuery(saysEnd(stated) ? undefined : idText(valueAt(step.next)))
    case 'last':
      return asQuery(lastId)
    case 'page':
      return asQuery(String(pages + (step.start ?? 1)))
    default:
      return asQuery(String(records + (step.start ?? 0)))
  }
}

/** `has_more: false` stands beside the cursor of the last record. */
function saysEnd(stated: readonly StatedValue[]): boolean {
  return stated.some(({ name, value }) => /^(?:has)?(?:more|next)/.test(name) && value === false)
}

interface Arrived {
  readonly step: PagingStep
  /** Undefined: the page before it names no next one. */
  readonly shown: SeenPage | CrmError | undefined
  /** Its records that were not seen before. */
  readonly fresh: readonly JsonObject[]
  /** The number of pages before it. */
  readonly pages: number
}

/** Whether the list ends before what was shown; `none`: the step leads nowhere. */
function endAt({ step, shown, fresh, pages }: Arrived): Pick<Reading, 'end' | 'doubt'> | 'none' | undefined {
  const isSecond = pages === 1
  if (!shown) return isSecond ? 'none' : { end: 'stated', doubt: undefined }
  if (shown instanceof CrmError) {
    return isSecond ? 'none' : { end: 'refused', doubt: isPlaceRefused(shown) ? undefined : shown.message }
  }
  const { length } = shown.items
  if (isSecond && !isEmptyAddress(step, length) && fresh.length * 2 <= length) return 'none'
  const isStated = step.by === 'link' || step.by === 'next_url' || step.by === 'cursor'
  if (length === 0 && !isStated) return { end: 'empty', doubt: undefined }
  const isAgain = fresh.length * 2 < length
  return isAgain ? { end: 'stated', doubt: 'a page shows records of an earlier one again' } : undefined
}

/** A parameter that the server takes for a filter gives an empty page, too; an address of its own does not. */
function isEmptyAddress({ by }: PagingStep, length: number): boolean {
  return length === 0 && (by === 'link' || by === 'next_url')
}

function lastIdOf({ items }: SeenPage, { idOf }: ListPlace): string | undefined {
  const last = items.at(-1)
  return last && idOf(last)
}

/** A single page is never enough: whether it is the whole list is the question. */
export function isEnough(pages: number, records: number): boolean {
  return pages > 1 && (records >= MOST_RECORDS || pages >= MOST_PAGES)
}

/** Some servers fail at a page that is not there. */
export function isPlaceRefused({ code, details }: CrmError): boolean {
  return ['bad_request', 'invalid_values', 'rejected', 'not_found'].includes(code) || details.status === 500
}
