import { CrmError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { SIZES } from './names.ts'
import type { ProbingHttp, QueryParameters } from './probing-http.ts'
import { areSame, type ListPlace, pageAt, type Reading, type Sized } from './read-list.ts'

const GREATEST = [100, 50, 25, 20, 10] as const

/** The parameter by which the server makes its pages shorter, with the greatest full page that was seen. */
export async function findPageSize(
  http: ProbingHttp,
  place: ListPlace,
  { pages, records }: Reading,
): Promise<Sized | undefined> {
  const first = pages[0]?.items ?? []
  if (first.length < 2) return undefined
  const count = Math.min(3, first.length - 1)
  for (const param of SIZES) {
    const items = await itemsAt(http, place, { [param]: String(count) })
    if (items?.length !== count || !areSame(items, first.slice(0, count), place)) continue
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
  place: Pick<ListPlace, 'path' | 'items'>,
  query: QueryParameters,
): Promise<readonly JsonObject[] | undefined> {
  const page = await pageAt(http, place, { query })
  return page instanceof CrmError ? undefined : page.items
}
