import { oneLine } from '../api/errors/one-line.ts'
import { readLinks } from '../api/pages/links.ts'
import { compilePath, readFirst } from '../connector/paths.ts'
import { CrmError } from '../core/errors.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import { OFFSETS, PAGES } from './names.ts'
import { itemsAt, sizeMember } from './page-size.ts'
import type { ProbingHttp, SeenPage } from './probing-http.ts'
import { areSame, isPlaceRefused, type ListPlace, pageAt, type Reading, type Sized } from './read-list.ts'
import { type StatedValue, scalarsIn } from './records-in.ts'
import { countedSteps } from './steps.ts'

/** Ways of paging that may read the list, the most telling first. */
export interface Candidates {
  readonly candidates: readonly JsonObject[]
  /** What the answers do not show. */
  readonly doubt: string | undefined
}

/** No server is known with a lower maximum. */
const SMALL_SIZE = 10

/** Of a list of several pages: its step, with what states the end. */
export function ofPages(reading: Reading, place: ListPlace, size: Sized | undefined): Candidates {
  const { step, pages } = reading
  if (!step) return { candidates: [], doubt: undefined }
  const scalars = pages.map(({ answer }) => scalarsIn(answer.json ?? null, place.items))
  const [total, more, count] = [totalIn(reading, scalars), moreIn(reading, scalars), pagesIn(reading, scalars)]
  const [first, second] = pages
  const isAddress = step.by === 'link' || step.by === 'next_url'
  const counted = isAddress && first && second ? countedSteps(first, second) : []
  const all = [step, ...counted].flatMap((each): readonly JsonObject[] => {
    const isOwnEnd = each.by === 'link' || each.by === 'next_url'
    const paging = {
      ...each,
      ...absentEnd(each, reading, scalars),
      ...(total !== undefined && { total }),
      ...(more !== undefined && !isOwnEnd && { more }),
    }
    return each.by === 'page' && count !== undefined ? [{ ...paging, pages: count }, paging] : [paging]
  })
  const sized = sizeMember(size)
  const usual = first?.items.length ?? 0
  // Where the page behind the last one is refused, a page that is not full ends the list.
  const isCounted = ({ by }: JsonObject) => by === 'page' || by === 'offset'
  const ofSize = (max: number) => (each: JsonObject) => ({ ...each, size: { param: size?.param ?? '', max } })
  const short = size ? all.filter(isCounted).map(ofSize(Math.max(usual, SMALL_SIZE))) : []
  const candidates = [...(sized.size === undefined ? [] : all.map((each) => ({ ...each, ...sized }))), ...all, ...short]
  return { candidates, doubt: undefined }
}

/** Whether the last page has nothing at `next`; of a list that was not read to its end, it may have. */
function absentEnd(step: JsonObject, { end }: Reading, scalars: readonly (readonly StatedValue[])[]): JsonObject {
  const { next } = step
  if (typeof next !== 'string') return {}
  const isAbsent = end === 'cut' || valueIn(scalars.at(-1) ?? [], next) === undefined
  return isAbsent ? { absent: true } : {}
}

/** The number of all records, of a list that was read to its end. */
function totalIn({ records, end, doubt }: Reading, scalars: readonly (readonly StatedValue[])[]): string | undefined {
  if (end === 'cut' || doubt !== undefined) return undefined
  const isNamed = ({ name }: StatedValue) => /total|count|length|found|size/.test(name) && !/page/.test(name)
  const isSame = ({ path }: StatedValue) => scalars.every((each) => valueIn(each, path) === records.length)
  return scalars[0]?.find((scalar) => isNamed(scalar) && isSame(scalar))?.path
}

/** A flag that is true on each page except the last one, and false there. */
function moreIn({ end }: Reading, scalars: readonly (readonly StatedValue[])[]): string | undefined {
  const isEnd = (index: number) => end !== 'cut' && index === scalars.length - 1
  const isMore = ({ path }: StatedValue) => scalars.every((each, index) => valueIn(each, path) === !isEnd(index))
  return scalars[0]?.find((scalar) => /more|next|truncated/.test(scalar.name) && isMore(scalar))?.path
}

function pagesIn({ pages, end }: Reading, scalars: readonly (readonly StatedValue[])[]): string | undefined {
  if (end === 'cut') return undefined
  return scalars[0]?.find(
    ({ name, value }) => /page/.test(name) && value === pages.length && /total|count|pages|last|max|num/.test(name),
  )?.path
}

function valueIn(scalars: readonly StatedValue[], path: string): JsonValue | undefined {
  return scalars.find((scalar) => scalar.path === path)?.value
}

interface OneRead {
  readonly reading: Reading
  readonly size: Sized | undefined
  /** The size without which the server shows fewer records. */
  readonly asked: Sized | undefined
}

/** Of a list of one page: by links or parameters of the server; `none` only where the server shows it. */
export async function ofOnePage(
  http: ProbingHttp,
  place: ListPlace,
  { reading, size, asked }: OneRead,
): Promise<Candidates> {
  const { records, pages } = reading
  const [first] = pages
  const scalars = scalarsIn(first?.answer.json ?? null, place.items)
  const sized = sizeMember(size)
  const linked = first && linkedPaging(first, scalars)
  if (linked) return { candidates: [{ ...linked, ...sized }], doubt: undefined }
  const open = scalars.find(({ name, value }) => isNextName(name) && isNothing(value))
  const tried = await readsParameter(http, place, records)
  if (tried) return ofParameter(tried, { open, sized })
  const total = await totalOfOne(http, place, { scalars, count: records.length, size })
  if (open && total === undefined) {
    return doubted(`the list is one page now, and its ${open.path} is empty: what leads to a second page is not shown`)
  }
  if ((total === undefined || !size) && USUAL_SIZES.includes(records.length)) {
    return doubted(`the list is one page of ${records.length} records now, which is a common size of pages`)
  }
  const unknown = total === undefined ? scalars.find((each) => !isHarmless(each, records.length)) : undefined
  if (unknown) {
    const value = oneLine(JSON.stringify(unknown.value), 40)
    return doubted(`nothing shows that one answer is the whole list, and ${unknown.path} beside it is ${value}`)
  }
  const end = total === undefined ? guardOf(records.length) : { total }
  return { candidates: [{ by: 'none', ...end, ...sizeMember(asked) }], doubt: undefined }
}

/** What answers have beside whole lists, too. */
const HARMLESS = /^(?:success|ok|status|code|object|kind|type|self|href|version|apiversion|requestid|took|timestamp)$/

function isHarmless({ name, value }: StatedValue, count: number): boolean {
  if (HARMLESS.test(name) || value === count || value === null || value === '') return true
  return (
    (value === false || value === 0) && /more|next|truncat|partial|incomplete|error|offset|skip|start|^page$/.test(name)
  )
}

function doubted(doubt: string): Candidates {
  return { candidates: [], doubt }
}

const USUAL_SIZES = [10, 20, 25, 30, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000]

/** A list that grows to a usual page may be cut there, in a way that its present length does not show. */
function guardOf(count: number): JsonObject {
  const most = USUAL_SIZES.find((each) => each > count)
  return most === undefined ? {} : { most }
}

/** Answers that link to themselves or to the first page link to the next one where there is one. */
function linkedPaging({ answer }: SeenPage, scalars: readonly StatedValue[]): JsonObject | undefined {
  const links = readLinks(answer.headers.link)
  if (links.has('first') || links.has('last')) return { by: 'link' }
  const sibling = scalars.find(
    ({ path, value }) => /(?:^|\.)_?links\.(?:first|last)(?:\.href)?$/.test(path) && typeof value === 'string',
  )
  if (!sibling) return undefined
  const next = sibling.path.replace(/(?:first|last)(\.href)?$/, 'next$1')
  return { by: 'next_url', next, ...(valueIn(scalars, next) === undefined && { absent: true }) }
}

/** The number of all records; where the server makes shorter pages, it stays the same on one of them. */
async function totalOfOne(
  http: ProbingHttp,
  { path }: ListPlace,
  {
    scalars,
    count,
    size,
  }: { readonly scalars: readonly StatedValue[]; readonly count: number; readonly size: Sized | undefined },
): Promise<string | undefined> {
  const total = scalars.find(({ name, value }) => /^x?total/.test(name) && !/page/.test(name) && value === count)
  if (!total || !size) return total?.path
  const answer = await http.look(path, { query: { [size.param]: '1' } })
  const again = answer instanceof CrmError ? undefined : readFirst(compilePath(total.path), answer.json ?? null)
  return again === count ? total.path : undefined
}

/** If the server refuses the page after the last one, something in the answers must state the end of the list. */
function ofParameter(
  { paging, isRefused }: ReadParameter,
  { open, sized }: { readonly open: StatedValue | undefined; readonly sized: JsonObject },
): Candidates {
  const end = open && { [open.value === false ? 'more' : 'next']: open.path }
  if (isRefused && !end) {
    return doubted(`a second page (${String(paging.param)}) is refused, and nothing states which page is the last one`)
  }
  return { candidates: [{ ...paging, ...end, ...sized }], doubt: undefined }
}

function isNothing(value: JsonValue): boolean {
  return value === null || value === '' || value === false
}

function isNextName(name: string): boolean {
  return /^next|next$|^hasmore|^more|cursor$|truncated$|continuation|scrollid|bookmark/.test(name)
}

interface ReadParameter {
  readonly paging: JsonObject
  /** The place behind the list is an error, not an empty page. */
  readonly isRefused: boolean
}

/** Of each kind of parameter, the most usual ones. */
const MOST_TRIALS = 5

/** Finds a paging parameter: its first value returns this page, and its next value an empty one. */
async function readsParameter(
  http: ProbingHttp,
  place: ListPlace,
  records: readonly JsonObject[],
): Promise<ReadParameter | undefined> {
  const isSame = async (param: string, value: number) => {
    const items = await itemsAt(http, place, { [param]: String(value) })
    return items !== undefined && areSame(items, records, place)
  }
  const pages = PAGES.slice(0, MOST_TRIALS).map((param) => ({ by: 'page', param, behind: 2, starts: [1, 0] }))
  const offsets = OFFSETS.slice(0, MOST_TRIALS).map((param) => ({
    by: 'offset',
    param,
    behind: records.length,
    starts: [0],
  }))
  for (const { by, param, behind, starts } of [...pages, ...offsets]) {
    const found = await pageAt(http, place, { query: { [param]: String(behind) } })
    const isRefused = found instanceof CrmError
    if (isRefused ? !isPlaceRefused(found) : found.items.length > 0) continue
    for (const start of starts) {
      if (!(await isSame(param, start))) continue
      return { paging: { by, param, ...(by === 'page' && start === 0 && { start }) }, isRefused }
    }
  }
  return undefined
}
