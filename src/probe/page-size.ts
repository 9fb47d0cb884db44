import { SIZE_PARAMETERS } from '../api/pages/names.ts'
import { readPage } from '../api/pages/page-answer.ts'
import { areSameRecords } from '../api/pages/same-records.ts'
import { CrmError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { callOf, PROBE_WIRE, type ProbingHttp } from './probing-http.ts'
import type { ListPlace, Reading, Sized } from './read-list.ts'

const GREATEST = [100, 50, 25, 20, 10] as const

/** The parameter by which the server makes its pages shorter, with the greatest size that it was seen to obey. */
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
    return { param, max: await greatestSize(http, place, { param, usual: first.length, known: records.length }) }
  }
  return undefined
}

interface Trial {
  readonly param: string
  /** The length of a page without the parameter, and the number of records that were read. */
  readonly usual: number
  readonly known: number
}

async function greatestSize(http: ProbingHttp, place: ListPlace, { param, usual, known }: Trial): Promise<number> {
  for (const size of GREATEST.filter((each) => each > usual)) {
    const { length = 0 } = (await itemsAt(http, place, { [param]: String(size) })) ?? []
    if (length >= usual) return length < Math.min(size, known) ? length : size
  }
  return usual
}

/** The records of an answer; undefined for a refusal and for what is no list. */
export async function itemsAt(
  http: ProbingHttp,
  { path, itemsAt: itemsPath }: ListPlace,
  query: Readonly<Record<string, string>>,
): Promise<readonly JsonObject[] | undefined> {
  const answer = await http.look(path, query)
  if (answer instanceof CrmError) return undefined
  const page = readPage(answer, http.locate({ ...callOf(path), method: 'GET', query }), { ...PROBE_WIRE, itemsPath })
  return typeof page === 'string' ? undefined : page.items
}
