import { badPage } from '../api/pages/page-errors.ts'
import { CrmError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { callOf, type PageAddress, type ProbingHttp, type QueryParameters, type SeenPage } from './probing-http.ts'
import { placeOfRecords, recordsAt } from './records-in.ts'
import { doubtOf, signOfMore } from './signs-of-more.ts'
import { nextBy, type PagingStep, statedSteps, usualSteps } from './steps.ts'

/** A longer list is read up to here. */
const MOST_RECORDS = 2000
const MOST_PAGES = 50

/** So many requests are tried for the second page. */
const MOST_TRIALS = 120

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

export interface Sized {
  readonly param: string
  readonly max: number
}

/** The address of a list, the path of its records in the answer, and the id of a record. */
export interface ListPlace {
  readonly path: string
  readonly items: string
  readonly idOf: (record: JsonObject) => string | undefined
}

/** The first page, and where its records are. CrmError where the path is no list. */
export async function readFirstPage(
  http: ProbingHttp,
  path: string,
  noun: string,
): Promise<{ readonly page: SeenPage; readonly items: string }> {
  const answer = await http.look(path)
  if (answer instanceof CrmError) throw answer
  const place = placeOfRecords(answer.json, noun)
  if (typeof place === 'string') throw badPage(callOf(path), place, 'crm api GET shows the answer')
  const url = http.locate({ ...callOf(path), method: 'GET' })
  return { page: { url, answer, items: recordsAt(answer.json, place.items) ?? [] }, items: place.items }
}

/** Reads the list by the first step that leads to a second page with other records; without one, that one page. */
export async function readByTrials(http: ProbingHttp, place: ListPlace, size?: Sized): Promise<Reading> {
  const first = await pageAt(http, place, { query: sizeQuery(size) })
  if (first instanceof CrmError) throw first
  const walk = { http, place, size, first }
  const trials = [...statedSteps(first, place.items, lastIdOf(first, place)), ...usualSteps()].slice(0, MOST_TRIALS)
  for (const step of trials) {
    const exact = await checkedStep(walk, step)
    const reading = exact && (await readOn(walk, exact))
    if (reading) return reading
  }
  const { items } = first
  return {
    step: undefined,
    pages: [first],
    records: items,
    end: 'stated',
    doubt: signOfMore(first, place) ?? doubtOf([first], place, items.length),
  }
}

interface Walk {
  readonly http: ProbingHttp
  readonly place: ListPlace
  readonly size: Sized | undefined
  readonly first: SeenPage
}

/** The step with the number from which it counts; undefined where the server does not read its parameter. */
async function checkedStep(walk: Walk, step: PagingStep): Promise<PagingStep | undefined> {
  if (step.by !== 'page' && step.by !== 'offset') return step
  const at = async (value: number) => recordsOf(await pageBy(walk, { query: { [step.param]: String(value) } }))
  const isFirst = (items: readonly JsonObject[] | undefined) => items !== undefined && isSamePage(walk, items)
  const first = walk.first.items.length
  const start = step.by === 'page' ? [1, 0] : [0, 1]
  const behind = await at(step.by === 'page' ? 2 : first)
  if (behind === undefined || behind.length === 0 || isFirst(behind)) return undefined
  for (const from of start) {
    if (!isFirst(await at(from))) continue
    return from === (step.by === 'page' ? 1 : 0) ? step : { ...step, start: from }
  }
  return undefined
}

/** Reads from page to page. Undefined where the second page has no other records. */
async function readOn(walk: Walk, step: PagingStep): Promise<Reading | undefined> {
  const { place, first } = walk
  const pages = [first]
  const records = [...first.items]
  const known = new Set(records.map((record) => keyOf(record, place)))
  for (;;) {
    const page = pages.at(-1) ?? first
    const next = nextBy(step, {
      page,
      items: place.items,
      records: records.length,
      pages: pages.length,
      lastId: lastIdOf(page, place),
    })
    const shown = next && (await pageBy(walk, next))
    const fresh = shown && 'items' in shown ? shown.items.filter((record) => !known.has(keyOf(record, place))) : []
    const end = endAt({ step, shown, fresh, pages: pages.length })
    if (end === 'none') return undefined
    if (end) return { step, pages, records, end: end.end, doubt: end.doubt ?? doubtOf(pages, place, records.length) }
    pages.push(shown as SeenPage)
    for (const record of fresh) known.add(keyOf(record, place))
    records.push(...fresh)
    if (isEnough(pages.length, records.length)) return { step, pages, records, end: 'cut', doubt: undefined }
  }
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

type End = Pick<Reading, 'end' | 'doubt'>

/** Whether the list ends before what was shown; `none`: the step leads nowhere. */
function endAt({ step, shown, fresh, pages }: Arrived): End | 'none' | undefined {
  const isSecond = pages === 1
  if (!shown) return isSecond ? 'none' : { end: 'stated', doubt: undefined }
  if (shown instanceof CrmError) {
    return isSecond ? 'none' : { end: 'refused', doubt: isPlaceRefused(shown) ? undefined : shown.message }
  }
  const { length } = shown.items
  if (isSecond && !isEmptyAddress(step, length) && fresh.length * 2 <= length) return 'none'
  if (length === 0 && !isStated(step)) return { end: 'empty', doubt: undefined }
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

function isStated({ by }: PagingStep): boolean {
  return by === 'link' || by === 'next_url' || by === 'cursor'
}

/** A single page is never enough: whether it is the whole list is the question. */
export function isEnough(pages: number, records: number): boolean {
  return pages > 1 && (records >= MOST_RECORDS || pages >= MOST_PAGES)
}

/** Some servers fail at a page that is not there. */
export function isPlaceRefused({ code, details }: CrmError): boolean {
  return ['bad_request', 'invalid_values', 'rejected', 'not_found'].includes(code) || details.status === 500
}

function recordsOf(page: SeenPage | CrmError): readonly JsonObject[] | undefined {
  return page instanceof CrmError ? undefined : page.items
}

function isSamePage({ first, place }: Walk, items: readonly JsonObject[]): boolean {
  return areSame(items, first.items, place)
}

export function areSame(
  items: readonly JsonObject[],
  others: readonly JsonObject[],
  place: Pick<ListPlace, 'idOf'>,
): boolean {
  return (
    items.length === others.length && items.every((item, at) => keyOf(item, place) === keyOf(others[at] ?? {}, place))
  )
}

function keyOf(record: JsonObject, { idOf }: Pick<ListPlace, 'idOf'>): string {
  return idOf(record) ?? JSON.stringify(record)
}

function pageBy({ http, place, size }: Walk, next: PageAddress): Promise<SeenPage | CrmError> {
  return pageAt(http, place, 'address' in next ? next : { query: { ...sizeQuery(size), ...next.query } })
}

function sizeQuery(size: Sized | undefined): QueryParameters {
  return size ? { [size.param]: String(size.max) } : {}
}

/** One page, or the error that it is. */
export async function pageAt(
  http: ProbingHttp,
  { path, items }: Pick<ListPlace, 'path' | 'items'>,
  next: PageAddress,
): Promise<SeenPage | CrmError> {
  const call = { ...callOf(path), method: 'GET', ...next } as const
  const answer = await http.look(path, next)
  if (answer instanceof CrmError) return answer
  const records = recordsAt(answer.json, items)
  const url = http.locate(call)
  return records
    ? { url, answer, items: records }
    : badPage(callOf(path), `expected a list at ${items}`, 'crm api GET shows the answer')
}
