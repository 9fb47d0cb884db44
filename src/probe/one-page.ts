import { ADDRESS_NAMES, CURSOR_NAMES, MORE_NAMES, TOTAL_NAMES } from '../api/pages/names.ts'
import { areSameRecords } from '../api/pages/same-records.ts'
import type { JsonObject } from '../core/json.ts'
import { scalarsIn } from './answer-paths.ts'
import { itemsAt } from './page-size.ts'
import type { ReadPages } from './paging-candidates.ts'
import type { ProbingHttp } from './probing-http.ts'
import type { ListPlace, Sized } from './read-list.ts'

/** What one page of records shows of paging. */
export interface OnePage {
  readonly candidates: readonly JsonObject[]
  /** What it cannot show. */
  readonly doubt: string | undefined
}

const PAGE_TRIALS = ['page', '_page', 'pageNumber', 'page[number]', 'p']
const OFFSET_TRIALS = ['offset', 'skip', 'start', '_offset', '$skip']

/** How a list of one page would go on: by parameters that the server reads, else by nothing, where it states all that there are. */
export async function ofOnePage(
  http: ProbingHttp,
  place: ListPlace,
  { read, size }: { readonly read: ReadPages; readonly size: Sized | undefined },
): Promise<OnePage> {
  const { reading, itemsPath } = read
  const { records } = reading
  const scalars = scalarsIn(reading.pages[0]?.answer.json ?? null, itemsPath)
  const total = scalars.find(({ name, value }) => TOTAL_NAMES.has(name) && value === records.length)?.path
  const ends = total === undefined ? {} : { total }
  const sized = size ? { size: { param: size.param, max: size.max } } : {}
  const tried = await readsParameter(http, place, records)
  if (tried) return { candidates: [{ ...tried, ...ends, ...sized }], doubt: undefined }
  const open = scalars.find(
    ({ name, value }) => isNextName(name) && (value === null || value === '' || value === false),
  )
  if (open && total === undefined) {
    const doubt = `the list is one page now, and its ${open.path} is empty: what leads to a second page is not shown`
    return { candidates: [], doubt }
  }
  // The server shows fewer where it is asked for fewer: a list of as many as are asked for may be cut.
  const most = size && total === undefined ? { most: size.max } : {}
  return { candidates: [{ by: 'none', ...ends, ...sized, ...most }], doubt: undefined }
}

function isNextName(name: string): boolean {
  return name === 'next' || [CURSOR_NAMES, ADDRESS_NAMES, MORE_NAMES].some((names) => names.has(name))
}

/** A parameter whose first value gives this page, and the value behind it nothing. */
async function readsParameter(
  http: ProbingHttp,
  place: ListPlace,
  records: readonly JsonObject[],
): Promise<JsonObject | undefined> {
  const isAt = async (param: string, value: number, wanted: readonly JsonObject[]) => {
    const items = await itemsAt(http, place, { [param]: String(value) })
    return items !== undefined && areSameRecords(items, wanted)
  }
  for (const param of PAGE_TRIALS) {
    if (!(await isAt(param, 2, []))) continue
    if (await isAt(param, 1, records)) return { by: 'page', param }
    if (await isAt(param, 0, records)) return { by: 'page', param, start: 0 }
  }
  for (const param of OFFSET_TRIALS) {
    if (!(await isAt(param, records.length, []))) continue
    if (await isAt(param, 0, records)) return { by: 'offset', param }
  }
  return undefined
}
