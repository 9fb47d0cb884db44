import { readLinks } from '../api/pages/links.ts'
import { foldedName } from './names.ts'
import type { SeenPage } from './pages.ts'
import type { StatedValue } from './records-in.ts'

/** What an answer states beside its records: members, and headers that are about lists. */
function allStated({ answer, stated }: SeenPage): readonly StatedValue[] {
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
const REMAINING = /remaining|^left$|left$/

/** Why one page is not known to be the whole list: its answer says that there is more. */
export function signOfMore(page: SeenPage): string | undefined {
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
  return more && `${more.path} is ${JSON.stringify(more.value)}, and nothing that was tried leads to more records`
}

/** A number of all records, on any page, that differs from what was found. */
export function doubtOf(pages: readonly SeenPage[], count: number): string | undefined {
  let behind = count
  for (const page of pages) {
    behind -= page.items.length
    const stated = allStated(page)
    const rest = stated.find(({ name, value }) => REMAINING.test(name) && Number(value) > behind)
    if (rest) return `${rest.path} states ${String(rest.value)}, and ${behind} more records were found`
    const total = stated.find(({ name, value }) => {
      const number = typeof value === 'string' ? Number(value.replaceAll(',', '')) : value
      if (!TOTAL.test(name) || typeof number !== 'number') return false
      return number > count || (pages.length === 1 && /total/.test(name) && number < count)
    })
    if (total) return `${total.path} states ${String(total.value)}, and ${count} records were found`
  }
  return undefined
}
