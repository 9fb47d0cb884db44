import { SIZE_PARAMETERS } from '../api/pages/names.ts'
import { readPage } from '../api/pages/page-answer.ts'
import { badPage } from '../api/pages/page-requests.ts'
import { areSameRecords } from '../api/pages/same-records.ts'
import { CrmError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { callOf, PROBE_WIRE, type ProbingHttp } from './probing-http.ts'
import type { ListPlace, Reading, Sized } from './read-list.ts'

const GREATEST = [100, 50, 25, 20, 10] as const

/** The parameter by which the server makes its pages shorter, with the greatest full page that was seen. */
export async function findPageSize(
  http: ProbingHttp,
  place: ListPlace,
  { pages, records }: Reading,
): Promise<Sized | undefined> {
  const first = pages[0]?.page.items ?? []
  if (first.length < 2) return undefined
  const count = Math.min(3, first.length - 1)
  for (const param of SIZE_PARAMETERS) {
    const items = await itemsAt(http, place, { [param]: String(count) })
    if (items?.length !== count || !areSameRecords(items, first.slice(0, count))) continue
    const usual = pages.length > 1 ? first.length : count
    return { param, max: (await greatestSize(http, place, { param, usual, known: records.length })) ?? usual }
  }
  return undefined
}

interface Trial {
  readonly param: string
  /** The length of a full page. */
  readonly usual: number
  /** The number of records that were read: behind a full page there must be more. */
  readonly known: number
}

async function greatestSize(
  http: ProbingHttp,
  place: ListPlace,
  { param, usual, known }: Trial,
): Promise<number | undefined> {
  for (const size of GREATEST.filter((each) => each > usual && each < known)) {
    const items = await itemsAt(http, place, { [param]: String(size) })
    // Fewer than there are: the server's own maximum.
    if (items && items.length > usual) return items.length
  }
  return undefined
}

/** For the file; a few records show no size that is worth asking for. */
export function sizeMember(size: Sized | undefined): JsonObject {
  return size && size.max >= Math.min(...GREATEST) ? { size: { param: size.param, max: size.max } } : {}
}

/** The records of an answer; undefined for a refusal and for what is no list. */
export async function itemsAt(
  http: ProbingHttp,
  place: ListPlace,
  query: Readonly<Record<string, string>>,
): Promise<readonly JsonObject[] | undefined> {
  const found = await lookAt(http, place, query)
  return found instanceof CrmError ? undefined : found
}

/** The records of an answer, or the error that it is. */
export async function lookAt(
  http: ProbingHttp,
  { path, itemsAt: itemsPath, counted }: ListPlace,
  query: Readonly<Record<string, string>>,
): Promise<readonly JsonObject[] | CrmError> {
  const answer = await http.look(path, query)
  if (answer instanceof CrmError) return answer
  const page = readPage(answer, http.locate({ ...callOf(path), method: 'GET', query }), {
    ...PROBE_WIRE,
    itemsPath,
    paging: counted,
  })
  return typeof page === 'string' ? badPage(callOf(path), page, 'crm api GET shows the answer') : page.items
}
