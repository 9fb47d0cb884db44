import { oneLine } from '../api/errors/one-line.ts'
import { readLinks } from '../api/pages/links.ts'
import { compilePath, readFirst } from '../connector/paths.ts'
import { CrmError } from '../core/errors.ts'
import { defined, type JsonObject, type JsonValue } from '../core/json.ts'
import { OFFSETS, PAGES, SIZES } from './names.ts'
import { areSame, itemsAt, type ListPlace, type ProbingHttp, pageAt, type SeenPage } from './pages.ts'
import {
  behindBy,
  countedFrom,
  isPlaceRefused,
  type PagingStep,
  type Reading,
  type Sized,
  type Walk,
} from './read-list.ts'
import type { StatedValue } from './records-in.ts'
import { USUAL_SIZES } from './signs.ts'

const GREATEST = [100, 50, 25, 20, 10] as const

/** The parameter by which the server makes its pages shorter, with the greatest full page that was seen. */
export async function findPageSize(
  http: ProbingHttp,
  place: ListPlace,
  { pages, records }: Reading,
): Promise<Sized | undefined> {
  const first = pages[0].items
  if (first.length < 2) return undefined
  const count = Math.min(3, first.length - 1)
  for (const param of SIZES) {
    const isRead = areSame(await itemsAt(http, place, { [param]: String(count) }), first.slice(0, count), place)
    if (!isRead) continue
    const usual = pages.length > 1 ? first.length : count
    for (const size of GREATEST.filter((each) => each > usual && each < records.length)) {
      const items = await itemsAt(http, place, { [param]: String(size) })
      // Fewer than there are: the server's own maximum.
      if (items && items.length > usual) return { param, max: items.length }
    }
    return { param, max: usual }
  }
  return undefined
}

/** For the file; a few records show no size that is worth asking for. */
function sizeMember(size: Sized | undefined): JsonObject {
  return size && size.max >= Math.min(...GREATEST) ? { size: { ...size } } : {}
}

/** Ways of paging that may read the list, the most telling first. */
export interface Candidates {
  readonly candidates: readonly JsonObject[]
  /** What the answers do not show. */
  readonly doubt: string | undefined
}

/** Of a list of several pages: its step, with what states the end. */
export function ofPages(reading: Reading, size: Sized | undefined): Candidates {
  const { step, pages } = reading
  if (!step) return { candidates: [], doubt: undefined }
  const [total, more, count] = [totalIn(reading), moreIn(reading), pagesIn(reading)]
  const [first, second] = pages
  const isAddress = ({ by }: PagingStep) => by === 'link' || by === 'next_url'
  const counted = isAddress(step) && second ? countedSteps(first, second) : []
  const all = [step, ...counted].flatMap((each): readonly JsonObject[] => {
    const paging = defined({ ...each, ...absentEnd(each, reading), total, more: isAddress(each) ? undefined : more })
    return each.by === 'page' && count !== undefined ? [{ ...paging, pages: count }, paging] : [paging]
  })
  const sized = sizeMember(size)
  const larger = sized.size === undefined ? [] : all.map((each) => ({ ...each, ...sized }))
  // A server may read the place of a page only with its size, or refuse the page behind the last one: then a short page ends the list.
  const isCounted = ({ by }: JsonObject) => by === 'page' || by === 'offset'
  const max = Math.max(first.items.length, Math.min(...GREATEST))
  const short = size ? all.filter(isCounted).map((each) => ({ ...each, size: { param: size.param, max } })) : []
  return { candidates: [...larger, ...all, ...short], doubt: undefined }
}

/** The same way by the parameter that counts in the addresses of the pages: pages, or the records before them. */
function countedSteps({ url: first, items }: SeenPage, { url: second }: SeenPage): readonly PagingStep[] {
  const changed = [...second.searchParams].filter(([name, value]) => first.searchParams.get(name) !== value)
  return changed.flatMap(([param, value]): readonly PagingStep[] => {
    if (value === '2') return [{ by: 'page', param }]
    if (Number(value) === items.length && items.length > 1) return [{ by: 'offset', param }]
    return value === '1' ? [{ by: 'page', param, start: 0 }] : []
  })
}

/** Whether the last page has nothing at `next`; of a list that was not read to its end, it may have. */
function absentEnd(step: JsonObject, { end, pages }: Reading): JsonObject {
  const { next } = step
  if (typeof next !== 'string') return {}
  const isAbsent = end === 'cut' || valueIn(pages.at(-1)?.stated ?? [], next) === undefined
  return isAbsent ? { absent: true } : {}
}

/** The number of all records, of a list that was read to its end. */
function totalIn({ records, end, doubt, pages }: Reading): string | undefined {
  if (end === 'cut' || doubt !== undefined) return undefined
  const isNamed = ({ name }: StatedValue) => /total|count|length|found|size/.test(name) && !/page/.test(name)
  const isSame = ({ path }: StatedValue) => pages.every(({ stated }) => valueIn(stated, path) === records.length)
  return pages[0].stated.find((each) => isNamed(each) && isSame(each))?.path
}

/** A flag that is true on each page except the last one, and false there. */
function moreIn({ end, pages }: Reading): string | undefined {
  const isEnd = (index: number) => end !== 'cut' && index === pages.length - 1
  const isMore = ({ path }: StatedValue) => pages.every(({ stated }, at) => valueIn(stated, path) === !isEnd(at))
  return pages[0].stated.find((each) => /more|next|truncated/.test(each.name) && isMore(each))?.path
}

function pagesIn({ pages, end }: Reading): string | undefined {
  if (end === 'cut') return undefined
  return pages[0].stated.find(
    ({ name, value }) => /page/.test(name) && value === pages.length && /total|count|pages|last|max|num/.test(name),
  )?.path
}

function valueIn(stated: readonly StatedValue[], path: string): JsonValue | undefined {
  return stated.find((each) => each.path === path)?.value
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
  const [first] = reading.pages
  const { stated, items } = first
  const { length } = items
  const walk = { http, place, first, sizes: {} }
  const sized = sizeMember(size)
  const linked = linkedPaging(first)
  if (linked) return { candidates: [{ ...linked, ...sized }], doubt: undefined }
  const open = stated.find(({ name, value }) => isNextName(name) && (value === null || value === '' || value === false))
  const tried = await ofParameter(walk, open, sized)
  if (tried) return tried
  const total = await totalOfOne(walk, size)
  if (open && total === undefined) {
    return doubted(`the list is one page now, and its ${open.path} is empty: what leads to a second page is not shown`)
  }
  if ((total === undefined || !size) && USUAL_SIZES.includes(length)) {
    return doubted(`the list is one page of ${length} records now, which is a common size of pages`)
  }
  const unknown = total === undefined ? stated.find((each) => !isHarmless(each, length)) : undefined
  if (unknown) {
    const value = oneLine(JSON.stringify(unknown.value), 40)
    return doubted(`nothing shows that one answer is the whole list, and ${unknown.path} beside it is ${value}`)
  }
  const end = total === undefined ? guardOf(length) : { total }
  return { candidates: [{ by: 'none', ...end, ...sizeMember(asked) }], doubt: undefined }
}

/** What answers have beside whole lists, too. */
const HARMLESS = /^(?:success|ok|status|code|object|kind|type|self|href|version|apiversion|requestid|took|timestamp)$/

function isHarmless({ name, value }: StatedValue, count: number): boolean {
  if (HARMLESS.test(name) || value === count || value === null || value === '') return true
  const isNone = value === false || value === 0
  return isNone && /more|next|truncat|partial|incomplete|error|offset|skip|start|^page$/.test(name)
}

function doubted(doubt: string): Candidates {
  return { candidates: [], doubt }
}

/** A list that grows to a usual page may be cut there, in a way that its present length does not show. */
function guardOf(count: number): JsonObject {
  const most = USUAL_SIZES.find((each) => each > count)
  return most === undefined ? {} : { most }
}

/** Answers that link to themselves or to the first page link to the next one where there is one. */
function linkedPaging({ answer, stated }: SeenPage): JsonObject | undefined {
  const links = readLinks(answer.headers.link)
  if (links.has('first') || links.has('last')) return { by: 'link' }
  const sibling = stated.find(
    ({ path, value }) => /(?:^|\.)_?links\.(?:first|last)(?:\.href)?$/.test(path) && typeof value === 'string',
  )
  if (!sibling) return undefined
  const next = sibling.path.replace(/(?:first|last)(\.href)?$/, 'next$1')
  return { by: 'next_url', next, ...(valueIn(stated, next) === undefined && { absent: true }) }
}

/** The number of all records; where the server makes shorter pages, it stays the same on one of them. */
async function totalOfOne(
  { http, place: { path }, first }: Walk,
  size: Sized | undefined,
): Promise<string | undefined> {
  const { stated, items } = first
  const total = stated.find(({ name, value }) => /^x?total/.test(name) && !/page/.test(name) && value === items.length)
  if (!total || !size) return total?.path
  const answer = await http.look(path, { query: { [size.param]: '1' } })
  const again = answer instanceof CrmError ? undefined : readFirst(compilePath(total.path), answer.json ?? null)
  return again === items.length ? total.path : undefined
}

function isNextName(name: string): boolean {
  return /^next|next$|^hasmore|^more|cursor$|truncated$|continuation|scrollid|bookmark/.test(name)
}

/** Of each kind of parameter, the most usual ones. */
const MOST_TRIALS = 5

/** By a parameter whose first value returns this page, and whose next value an empty one. */
async function ofParameter(
  walk: Walk,
  open: StatedValue | undefined,
  sized: JsonObject,
): Promise<Candidates | undefined> {
  const { http, place, first } = walk
  const pages = PAGES.slice(0, MOST_TRIALS).map((param) => ({ by: 'page', param }) as const)
  const offsets = OFFSETS.slice(0, MOST_TRIALS).map((param) => ({ by: 'offset', param }) as const)
  for (const each of [...pages, ...offsets]) {
    const found = await pageAt(http, place, { query: { [each.param]: behindBy(each, first.items.length) } })
    const isRefused = found instanceof CrmError
    if (isRefused ? !isPlaceRefused(found) : found.items.length > 0) continue
    const step = await countedFrom(walk, each)
    if (!step) continue
    const end = open && { [open.value === false ? 'more' : 'next']: open.path }
    // If the page behind the last one is refused, something in the answers must state the end of the list.
    return isRefused && !end
      ? doubted(`a second page (${each.param}) is refused, and nothing states which page is the last one`)
      : { candidates: [{ ...step, ...end, ...sized }], doubt: undefined }
  }
  return undefined
}
