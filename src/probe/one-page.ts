import { compilePath, readFirst } from '../api/connectors/paths.ts'
import { ADDRESS_NAMES, CURSOR_NAMES, MORE_NAMES, TOTAL_NAMES } from '../api/pages/names.ts'
import { areSameRecords, isPlaceRefused } from '../api/pages/same-records.ts'
import { readLinks } from '../api/pages/signs.ts'
import { CrmError } from '../core/errors.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import { type StatedValue, scalarsIn } from './answer-paths.ts'
import { itemsAt, lookAt, sizeMember } from './page-size.ts'
import type { ReadPages } from './paging-candidates.ts'
import type { ProbingHttp } from './probing-http.ts'
import type { ListPlace, SeenPage, Sized } from './read-list.ts'

/** What one page of records shows of paging. */
export interface OnePage {
  readonly candidates: readonly JsonObject[]
  /** What it cannot show. */
  readonly doubt: string | undefined
}

const PAGE_TRIALS = ['page', '_page', 'pageNumber', 'page[number]', 'p']
const OFFSET_TRIALS = ['offset', 'skip', 'start', '_offset', '$skip']

interface OneRead {
  readonly read: ReadPages
  readonly size: Sized | undefined
  /** The size without which the server shows fewer records. */
  readonly asked: Sized | undefined
}

/** Finds how a list of one page is paged: by links or parameters of the server; `none` only where the server shows it. */
export async function ofOnePage(http: ProbingHttp, place: ListPlace, { read, size, asked }: OneRead): Promise<OnePage> {
  const { reading, itemsPath } = read
  const { records, pages } = reading
  const [first] = pages
  const scalars = scalarsIn(first?.answer.json ?? null, itemsPath)
  const sized = sizeMember(size)
  const linked = first && linkedPaging(first, scalars)
  if (linked) return { candidates: [{ ...linked, ...sized }], doubt: undefined }
  const open = scalars.find(({ name, value }) => isNextName(name) && isNothing(value))
  const tried = await readsParameter(http, place, records)
  if (tried) return ofParameter(tried, { open, sized })
  const total = await totalIn(http, place, { scalars, count: records.length, size })
  if (open && total === undefined) {
    return doubted(`the list is one page now, and its ${open.path} is empty: what leads to a second page is not shown`)
  }
  if (total === undefined && USUAL_SIZES.includes(records.length)) {
    return doubted(`the list is one page of ${records.length} records now, which is a common size of pages`)
  }
  const end = total === undefined ? guardOf(records.length) : { total }
  return { candidates: [{ by: 'none', ...end, ...sizeMember(asked) }], doubt: undefined }
}

function doubted(doubt: string): OnePage {
  return { candidates: [], doubt }
}

const USUAL_SIZES = [10, 20, 25, 30, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000]

/** A list that grows to a usual page may be cut there, in a way that its present length does not show. */
function guardOf(count: number): JsonObject {
  const most = USUAL_SIZES.find((each) => each > count)
  return most === undefined ? {} : { most }
}

/** Answers that link to themselves or to the first page link to the next one where there is one. */
function linkedPaging({ answer, page }: SeenPage, scalars: readonly StatedValue[]): JsonObject | undefined {
  const links = readLinks(answer.headers.link)
  if (links.has('first') || links.has('last')) return { by: 'link' }
  const sibling = scalars.find(
    ({ path, value }) => /(?:^|\.)_?links\.(?:first|last)(?:\.href)?$/.test(path) && typeof value === 'string',
  )
  const isNext = page.next === undefined && sibling !== undefined
  return isNext ? { by: 'next_url', next: sibling.path.replace(/(?:first|last)(\.href)?$/, 'next$1') } : undefined
}

/** The number of all records; where the server makes shorter pages, it stays the same on one of them. */
async function totalIn(
  http: ProbingHttp,
  { path }: ListPlace,
  {
    scalars,
    count,
    size,
  }: { readonly scalars: readonly StatedValue[]; readonly count: number; readonly size: Sized | undefined },
): Promise<string | undefined> {
  const total = scalars.find(({ name, value }) => TOTAL_NAMES.has(name) && value === count)
  if (!total || !size) return total?.path
  const answer = await http.look(path, { [size.param]: '1' })
  const again = answer instanceof CrmError ? undefined : readFirst(compilePath(total.path), answer.json ?? null)
  return again === count ? total.path : undefined
}

/** If the server refuses the page after the last one, something in the answers must state the end of the list. */
function ofParameter(
  { paging, isRefused }: ReadParameter,
  { open, sized }: { readonly open: StatedValue | undefined; readonly sized: JsonObject },
): OnePage {
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
  return name === 'next' || [CURSOR_NAMES, ADDRESS_NAMES, MORE_NAMES].some((names) => names.has(name))
}

interface ReadParameter {
  readonly paging: JsonObject
  /** The place behind the list is an error, not an empty page. */
  readonly isRefused: boolean
}

/** Finds a paging parameter: its first value returns this page, and its next value an empty one. */
async function readsParameter(
  http: ProbingHttp,
  place: ListPlace,
  records: readonly JsonObject[],
): Promise<ReadParameter | undefined> {
  const isSame = async (param: string, value: number) => {
    const items = await itemsAt(http, place, { [param]: String(value) })
    return items !== undefined && areSameRecords(items, records)
  }
  const pages = PAGE_TRIALS.map((param) => ({ by: 'page', param, behind: 2, starts: [1, 0] }))
  const offsets = OFFSET_TRIALS.map((param) => ({ by: 'offset', param, behind: records.length, starts: [0] }))
  for (const { by, param, behind, starts } of [...pages, ...offsets]) {
    const found = await lookAt(http, place, { [param]: String(behind) })
    const isRefused = found instanceof CrmError
    if (isRefused ? !isRefusal(found) : found.length > 0) continue
    for (const start of starts) {
      if (!(await isSame(param, start))) continue
      return { paging: { by, param, ...(by === 'page' && start === 0 && { start }) }, isRefused }
    }
  }
  return undefined
}

/** Some servers fail at a page that is not there. */
function isRefusal(error: CrmError): boolean {
  return isPlaceRefused(error) || error.details.status === 500
}
