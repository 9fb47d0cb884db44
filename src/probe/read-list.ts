import { addressOn, readLinks } from '../api/pages/links.ts'
import { CrmError } from '../core/errors.ts'
import { idText, type JsonObject, type JsonValue } from '../core/json.ts'
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
  | CountedStep

export type CountedStep = { readonly by: 'page' | 'offset'; readonly param: string; readonly start?: number }

/** A list as one step reads it from page to page; the connector has no part in it. */
export interface Reading {
  /** Undefined: no second page was found. */
  readonly step: PagingStep | undefined
  readonly pages: readonly [SeenPage, ...SeenPage[]]
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

/** Of a list from its first page on. */
export interface Walk {
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
  const trials = [...statedSteps(first, lastIdOf(first, place)), ...USUAL_STEPS].slice(0, MOST_TRIALS)
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
const USUAL_STEPS: readonly PagingStep[] = [
  ...PAGES.map((param) => ({ by: 'page', param }) as const),
  ...OFFSETS.map((param) => ({ by: 'offset', param }) as const),
  ...LAST_IDS.map((param) => ({ by: 'last', param }) as const),
]

/** Whether a text looks like an address, possibly relative (RFC 3986, 4.2). */
function isAddress(text: string): boolean {
  return /^(?:https?:\/\/|[/?]|\.\.?\/)|^[\w.~%/-]+\?[\w.~%$[\]-]+=/i.test(text)
}

/** The value of the parameter that leads behind these records, where it counts as usual. */
export function behindBy({ by }: CountedStep, count: number): string {
  return String(by === 'page' ? 2 : count)
}

/** The step with the number from which it counts; undefined where the server does not read its parameter. */
export async function countedFrom(
  { http, place, sizes, first }: Walk,
  step: CountedStep,
): Promise<CountedStep | undefined> {
  const usual = step.by === 'page' ? 1 : 0
  for (const start of [usual, 1 - usual]) {
    const items = await itemsAt(http, place, { ...sizes, [step.param]: String(start) })
    if (areSame(items, first.items, place)) return start === usual ? step : { ...step, start }
  }
  return undefined
}

async function checkedStep(walk: Walk, step: PagingStep): Promise<PagingStep | undefined> {
  if (step.by !== 'page' && step.by !== 'offset') return step
  const { http, place, sizes, first } = walk
  const behind = await itemsAt(http, place, { ...sizes, [step.param]: behindBy(step, first.items.length) })
  const isRead = behind !== undefined && behind.length > 0 && !areSame(behind, first.items, place)
  return isRead ? countedFrom(walk, step) : undefined
}

/** Reads from page to page. Undefined where the second page has no other records. */
async function readOn(walk: Walk, step: PagingStep): Promise<Reading | undefined> {
  const { http, place, first } = walk
  const pages: [SeenPage, ...SeenPage[]] = [first]
  const records = [...first.items]
  const known = new Set(records.map((record) => recordKey(record, place)))
  const ended = (end: Reading['end'], doubt = doubtOf(pages, records.length)) =>
    pages.length === 1 ? undefined : { step, pages, records, end, doubt }
  while (!isEnough(pages.length, records.length)) {
    const next = nextBy(walk, step, { pages, count: records.length })
    const shown = next && (await pageAt(http, place, next))
    const page = shown && 'items' in shown ? shown : undefined
    const fresh = page?.items.filter((record) => !known.has(recordKey(record, place))) ?? []
    const end = endAt(step, shown, { fresh: fresh.length, isSecond: pages.length === 1 })
    if (!page || end) return ended(...(end ?? ['stated']))
    pages.push(page)
    for (const record of fresh) known.add(recordKey(record, place))
    records.push(...fresh)
  }
  return { step, pages, records, end: 'cut', doubt: undefined }
}

/** The end of the list before what was shown, and why it is not known to be whole. */
function endAt(
  { by }: PagingStep,
  shown: SeenPage | CrmError | undefined,
  { fresh, isSecond }: { readonly fresh: number; readonly isSecond: boolean },
): readonly [end: Reading['end'], doubt?: string] | undefined {
  if (!shown) return ['stated']
  // Some servers refuse the page behind the last one.
  if (shown instanceof CrmError) return isPlaceRefused(shown) ? ['refused'] : ['refused', shown.message]
  const { length } = shown.items
  // A parameter that the server takes for a filter gives an empty page, too; an address of its own does not.
  const mayBeEmpty = by === 'link' || by === 'next_url' || (by === 'cursor' && !isSecond)
  if (length === 0) return mayBeEmpty ? undefined : ['empty']
  return fresh * 2 <= length ? ['stated', 'a page shows records of an earlier one again'] : undefined
}

interface Seen {
  readonly pages: readonly SeenPage[]
  /** Of their records. */
  readonly count: number
}

/** The place of the next page by a step; undefined where the answer names none, which is its end. */
function nextBy({ place, sizes, first }: Walk, step: PagingStep, { pages, count }: Seen): PageAddress | undefined {
  const page = pages.at(-1) ?? first
  const { stated, url, answer } = page
  const valueAt = (path: string) => stated.find((each) => each.path === path)?.value
  const toAddress = (target: JsonValue | undefined) => {
    const address = typeof target === 'string' && target !== '' ? addressOn(url.origin, target, url.href) : undefined
    return address === undefined ? undefined : { address }
  }
  const asQuery = (param: string, text: string | undefined) =>
    text === undefined || text === '' ? undefined : { query: { ...sizes, [param]: text } }
  if (step.by === 'link') return toAddress(readLinks(answer.headers.link).get('next'))
  if (step.by === 'next_url') return toAddress(valueAt(step.next))
  if (step.by === 'cursor') return asQuery(step.param, saysEnd(stated) ? undefined : idText(valueAt(step.next)))
  if (step.by === 'last') return asQuery(step.param, lastIdOf(page, place))
  const { start = step.by === 'page' ? 1 : 0 } = step
  return asQuery(step.param, String(start + (step.by === 'page' ? pages.length : count)))
}

/** `has_more: false` stands beside the cursor of the last record. */
function saysEnd(stated: readonly StatedValue[]): boolean {
  return stated.some(({ name, value }) => /^(?:has)?(?:more|next)/.test(name) && value === false)
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
