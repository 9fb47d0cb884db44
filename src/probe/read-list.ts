import { type PageAnswer, readPage } from '../api/pages/page-answer.ts'
import type { PageLimits } from '../api/pages/page-requests.ts'
import { listPages } from '../api/pages/pages.ts'
import { CrmError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { callOf, type Exchanged, type ProbingHttp } from './probing-http.ts'

/** A longer list is read up to here. */
const MOST_RECORDS = 2000
const MOST_PAGES = 50

/** One page with the request that showed it. */
export interface SeenPage extends Exchanged {
  readonly page: PageAnswer
}

/** A list as recognition reads it: what leads on is taken from the answers alone. */
export interface Reading {
  readonly pages: readonly SeenPage[]
  readonly records: readonly JsonObject[]
  /** Why it is not known to be whole; undefined for a whole list, and for the first part of a long one. */
  readonly doubt: CrmError | undefined
  readonly isCut: boolean
}

export interface Sized {
  readonly param: string
  readonly max: number
}

/** Where a list is asked for, and where its records are, if they are in no usual member. */
export interface ListPlace {
  readonly path: string
  readonly itemsAt: string | undefined
  /** Where the answers say that there is more, and not how to get it. */
  readonly counted?: 'page' | 'offset'
}

/** Reads the list by what its answers say, and by trials where they say nothing. */
export async function readByRecognition(http: ProbingHttp, place: ListPlace, size?: Sized): Promise<Reading> {
  const limits = limitsOf(place, size)
  const pages: SeenPage[] = []
  const records: JsonObject[] = []
  const before = http.seen.length
  const ended = (more: Pick<Reading, 'doubt' | 'isCut'>): Reading => ({
    pages: withoutEmptyEnd(pages),
    records,
    ...more,
  })
  try {
    const query = { limit: undefined, cursor: undefined, filters: {} }
    for await (const { items } of listPages(http, callOf(place.path), query, limits)) {
      const shown = pageWith(http.seen.slice(before), items, limits)
      if (shown) pages.push(shown)
      records.push(...items)
      if (isEnough(pages.filter(({ page }) => page.items.length > 0).length, records.length)) {
        return ended({ doubt: undefined, isCut: true })
      }
    }
    return ended({ doubt: undefined, isCut: false })
  } catch (error) {
    if (!(error instanceof CrmError) || error.code === 'interrupted' || pages.length === 0) throw error
    return ended({ doubt: error, isCut: false })
  }
}

/** A single page is never enough: whether it is the whole list is the question. */
export function isEnough(pages: number, records: number): boolean {
  return pages > 1 && (records >= MOST_RECORDS || pages >= MOST_PAGES)
}

function withoutEmptyEnd(pages: readonly SeenPage[]): readonly SeenPage[] {
  const last = pages.findLastIndex(({ page }) => page.items.length > 0)
  return pages.slice(0, Math.max(last, 0) + 1)
}

function limitsOf({ itemsAt, counted }: ListPlace, size: Sized | undefined): PageLimits {
  return {
    paging: counted,
    limitParam: size?.param,
    cursorParam: undefined,
    itemsPath: itemsAt,
    nextPath: undefined,
    pageSize: size?.max,
  }
}

/** Among trials, the last request whose answer has these records. */
function pageWith(seen: readonly Exchanged[], items: readonly JsonObject[], limits: PageLimits): SeenPage | undefined {
  const wanted = JSON.stringify(items.at(-1))
  for (const exchanged of seen.toReversed()) {
    const page = readPage(exchanged.answer, exchanged.url, limits)
    if (typeof page === 'string') continue
    const isEmpty = items.length === 0 && page.items.length === 0
    if (isEmpty || page.items.some((each) => JSON.stringify(each) === wanted)) return { ...exchanged, page }
  }
  return undefined
}
