import { oneLine } from '../api/errors/one-line.ts'
import type { PageAnswer } from '../api/operations.ts'
import { readLinks } from '../api/pages/links.ts'
import { foldedName } from './names.ts'
import type { SeenPage } from './pages.ts'
import { recordsAt, type StatedValue, statedBeside } from './records-in.ts'

/** What an answer states beside its records: members, and headers that are about lists. */
function allStated({ answer, stated }: Pick<SeenPage, 'answer' | 'stated'>): readonly StatedValue[] {
  const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
    /^x-|range|total|count/i.test(name) && !/rate|reset|retry/i.test(name) && typeof value === 'string'
      ? [{ path: name, name: foldedName(name), value }]
      : [],
  )
  return [...stated, ...headers]
}

const NEXT = /^(?:x)?(?:next\w*|endcursor|cursornext|(?:next)?continuationtoken|continuation|scrollid|bookmark)$/
const MORE = /^x?(?:has)?(?:more|next)|truncated|incomplete|partial|timedout/
const TOTAL = /^x?(?:wp)?total(?!.*page)|recordstotal|numfound|odatacount|^x?count$|^found$|resultcount/
const PAGES = /pages$|^lastpage$|pagecount|totalpage/
/** A link to a page behind the first. */
const BEHIND = /[?&][\w[\]]*page[\w[\]]*=(?:[2-9]|[1-9]\d)/
const HAS_MORE = /^x?(?:has)?(?:more|next)/
const ADDRESS = /^(?:https?:\/\/|[/?])/
const REMAINING = /remaining|^left$|left$/

/** Why one page is not known to be the whole list: its answer says that there is more. */
export function signOfMore(page: SeenPage): string | undefined {
  const sign = statedMore(page)
  return sign && `${sign}, and nothing that was tried leads to more records`
}

function statedMore(page: Pick<SeenPage, 'answer' | 'stated'>): string | undefined {
  const { status, headers } = page.answer
  if (status !== 200) return `the answer has the status ${status}`
  const range = /\d+-(\d+)\/\*/.exec(String(headers['content-range'] ?? ''))
  if (range) return `Content-Range is ${range[0]}, so there may be more`
  const last = readLinks(headers.link).get('last') ?? ''
  if (BEHIND.test(last)) return `the link to the last page is ${last}`
  const more = allStated(page).find(({ path, name, value }) => {
    if (MORE.test(name) && (value === true || value === 'true' || value === 'yes')) return true
    if (value === 'partial') return true
    if (/links?\.last/.test(path) && BEHIND.test(String(value))) return true
    if (PAGES.test(name)) return Number(value) > 1
    if (REMAINING.test(name)) return Number(value) > 0
    return NEXT.test(name) && typeof value !== 'boolean' && ![null, '', 0, -1].includes(value as null)
  })
  return more && textOf(more)
}

/** A number of all records, on any page, that differs from what was found. */
export function doubtOf(
  pages: readonly Pick<SeenPage, 'answer' | 'items' | 'stated'>[],
  count: number,
  isOnePage = pages.length === 1,
): string | undefined {
  let behind = count
  for (const page of pages) {
    behind -= page.items.length
    const stated = allStated(page)
    const rest = stated.find(({ name, value }) => REMAINING.test(name) && Number(value) > behind)
    if (rest) return `${rest.path} states ${String(rest.value)}, and ${behind} more records were found`
    const total = stated.find(({ name, value }) => {
      const number = typeof value === 'string' ? Number(value.replaceAll(',', '')) : value
      if (!TOTAL.test(name) || typeof number !== 'number') return false
      return number > count || (isOnePage && /total/.test(name) && number < count)
    })
    if (total) return `${total.path} states ${String(total.value)}, and ${count} records were found`
  }
  return undefined
}

function textOf({ path, value }: StatedValue): string {
  return `${path} is ${oneLine(JSON.stringify(value), 80)}`
}

export const USUAL_SIZES = [10, 20, 25, 30, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000]

/** Why a list that ended after this one answer may have more records. */
export interface Unread {
  readonly why: string
  /** The answer says it; otherwise it may mean something else. */
  readonly isStated: boolean
}

/** Of an answer behind which a connector sees no other page, with the path of its records; `isEndStated`: it read that in the answer. */
export function unreadAfter(answer: PageAnswer, itemsPath: string, isEndStated: boolean): Unread | undefined {
  const items = recordsAt(answer.json, itemsPath)
  if (!items) return undefined
  const page = { answer, items, stated: statedBeside(answer.json ?? null, itemsPath) }
  const next = readLinks(answer.headers.link).get('next')
  if (next !== undefined) return { why: `the header Link leads to a next page, ${oneLine(next, 80)}`, isStated: true }
  const total = doubtOf([page], items.length, false)
  if (total !== undefined) return { why: total, isStated: true }
  const all = allStated(page)
  const more = all.find(
    ({ name, value }) =>
      (HAS_MORE.test(name) && String(value) === 'true') ||
      (PAGES.test(name) && Number(value) > 1) ||
      (NEXT.test(name) && typeof value === 'string' && ADDRESS.test(value)),
  )
  if (more) return { why: textOf(more), isStated: true }
  const sign = statedMore(page)
  if (sign !== undefined) return { why: sign, isStated: false }
  if (isEndStated || answer.headers.link !== undefined) return undefined
  const isCounted = all.some(({ name, value }) => TOTAL.test(name) && Number(value) === items.length)
  if (isCounted || !USUAL_SIZES.includes(items.length)) return undefined
  return { why: `${items.length} records are a common size of pages`, isStated: false }
}
