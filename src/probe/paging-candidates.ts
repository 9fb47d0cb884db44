import { foldedName } from '../api/connectors/draft/server-names.ts'
import { LAST_ID_PARAMETERS, MORE_NAMES, OFFSET_PARAMETERS, PAGES_NAMES } from '../api/pages/names.ts'
import { addressOn, isAddressLike } from '../api/pages/positions.ts'
import { readLinks } from '../api/pages/signs.ts'
import { idText, type JsonObject, type JsonValue } from '../core/json.ts'
import { type StatedValue, scalarsIn } from './answer-paths.ts'
import { sizeMember } from './page-size.ts'
import type { Reading, SeenPage, Sized } from './read-list.ts'

/** A list that was read page by page, and what its records are. */
export interface ReadPages {
  readonly reading: Reading
  readonly itemsPath: string
  /** The id of a record, as the connector reads it. */
  readonly idOf: (record: JsonObject) => string | undefined
}

/** No server is known with a lower maximum. */
const SMALL_SIZE = 10

interface Step extends ReadPages {
  readonly scalars: readonly (readonly StatedValue[])[]
}

/**
 * The ways of paging that lead from each page that was read to the one after it, the most telling first: an address, a cursor of
 * the answer, the id of the last record, a count.
 */
export function pagingCandidates(read: ReadPages, size: Sized | undefined): readonly JsonObject[] {
  const { pages } = read.reading
  const step: Step = { ...read, scalars: pages.map(({ answer }) => scalarsIn(answer.json ?? null, read.itemsPath)) }
  const total = totalIn(step)
  const more = moreIn(step)
  const ends = { ...(total !== undefined && { total }), ...(more !== undefined && { more }) }
  const sized = sizeMember(size)
  const found: JsonObject[] = []
  if (isEachStep(step, (page, next) => hasLinkTo(page, next))) found.push({ by: 'link', ...only(ends, 'total') })
  for (const path of sharedPaths(step, (value, page, next) => leadsTo(value, page, next))) {
    found.push({ by: 'next_url', next: path, ...only(ends, 'total') })
  }
  for (const param of changedParameters(pages)) found.push(...byParameter(step, param, ends))
  return [
    ...found.flatMap((paging) => [...(sized.size === undefined ? [] : [{ ...paging, ...sized }]), paging]),
    ...ofShortPages(read, size, found),
  ]
}

/** Members with a name such as `next` come before counts, and counts before members with other names. */
function byParameter(step: Step, param: string, ends: JsonObject): readonly JsonObject[] {
  const { pages } = step.reading
  const values = pages.slice(1).map(({ url }) => url.searchParams.get(param) ?? '')
  const paths = sharedPaths(step, (value, _, { url }) => idText(value) === url.searchParams.get(param))
  const cursors = paths
    .filter((path) => !isSameAtEnd(step, path))
    .map((next) => ({ by: 'cursor', param, next, ...ends }))
  const isNext = ({ next }: { readonly next: string }) => isNamedNext(next)
  const counts = counted(step, param, values, ends)
  // Ids that count the records are no places in the list: after a deletion they would skip some.
  const isLast =
    (counts.length === 0 || LAST_ID_PARAMETERS.some((name) => name === param)) &&
    isEachStep(step, ({ page }, { url }) => url.searchParams.get(param) === lastIdOf(page.items, step))
  const last = isLast ? [{ by: 'last', param, ...ends }] : []
  return [...cursors.filter(isNext), ...last, ...counts, ...cursors.filter((each) => !isNext(each))]
}

/** The last page shows the same as the page before it. */
function isSameAtEnd({ scalars }: Step, path: string): boolean {
  const [before, last] = scalars.slice(-2).map((each) => each.find((scalar) => scalar.path === path)?.value)
  return before !== undefined && before === last
}

/**
 * A server that refuses the page behind the last one, where a page that is not full ends the list; and one that reads the place
 * of a page only with a size.
 */
function ofShortPages(
  { reading: { pages } }: ReadPages,
  size: Sized | undefined,
  found: readonly JsonObject[],
): readonly JsonObject[] {
  const usual = pages[0]?.page.items.length
  if (!size || usual === undefined) return []
  return found
    .filter(({ by }) => by === 'page' || by === 'offset')
    .map((paging) => ({ ...paging, size: { param: size.param, max: Math.max(usual, SMALL_SIZE) } }))
}

function lastIdOf(items: readonly JsonObject[], { idOf }: ReadPages): string | undefined {
  const last = items.at(-1)
  return last && idOf(last)
}

function only(ends: JsonObject, name: string): JsonObject {
  return ends[name] === undefined ? {} : { [name]: ends[name] }
}

/** Paging by the values of a parameter: page numbers, or the number of records on earlier pages. */
function counted(step: Step, param: string, texts: readonly string[], ends: JsonObject): readonly JsonObject[] {
  const numbers = texts.map((text) => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN))
  const offset = offsetStart(step, param, numbers)
  const page = pageStart(numbers)
  // Few records on few pages are counted alike.
  const isOffset = offset !== undefined && (page === undefined || OFFSET_PARAMETERS.some((name) => name === param))
  if (isOffset) return [{ by: 'offset', param, ...offset, ...ends }]
  if (!page) return []
  const { reading, scalars } = step
  const all = { by: 'page', param, ...page, ...ends }
  const count = scalars[0]?.find(({ name, value }) => PAGES_NAMES.has(name) && value === reading.pages.length)
  return [...(count ? [{ ...all, pages: count.path }] : []), all]
}

function pageStart([first = 0, ...others]: readonly number[]): JsonObject | undefined {
  const isCounted = (first === 1 || first === 2) && others.every((number, index) => number === first + index + 1)
  return isCounted ? (first === 1 ? { start: 0 } : {}) : undefined
}

function offsetStart(
  { reading: { pages }, scalars }: Step,
  param: string,
  numbers: readonly number[],
): JsonObject | undefined {
  let before = 0
  const lengths = pages.map(({ page }) => (before += page.items.length))
  const from = (numbers[0] ?? Number.NaN) - (lengths[0] ?? 0)
  // That it counts from 1 is believed where the answer says so: else a record was added in front meanwhile.
  const isFromOne = scalars[0]?.some(({ name, value }) => name === foldedName(param) && value === 1) === true
  if (from !== 0 && !(from === 1 && isFromOne)) return undefined
  const isCounted = numbers.every((number, index) => number === (lengths[index] ?? 0) + from)
  return isCounted ? (from === 1 ? { start: 1 } : {}) : undefined
}

/** The parameters of the next pages, but for those of the first one that stay. */
function changedParameters(pages: readonly SeenPage[]): readonly string[] {
  const [first, second] = pages
  if (!first || !second) return []
  return [...new Set(second.url.searchParams.keys())].filter(
    (name) => second.url.searchParams.get(name) !== first.url.searchParams.get(name),
  )
}

function isEachStep({ reading: { pages } }: Step, leads: (page: SeenPage, next: SeenPage) => boolean): boolean {
  return pages.length > 1 && pages.slice(1).every((next, index) => leads(pages[index] as SeenPage, next))
}

/** The paths at which each answer has what leads to the next one. */
function sharedPaths(
  { reading: { pages }, scalars }: Step,
  leads: (value: JsonValue, page: SeenPage, next: SeenPage) => boolean,
): readonly string[] {
  if (pages.length < 2) return []
  const paths = (scalars[0] ?? []).map(({ path }) => path)
  const found = paths.filter((path) =>
    pages.slice(1).every((next, index) => {
      const at = scalars[index]?.find((each) => each.path === path)
      return at !== undefined && leads(at.value, pages[index] as SeenPage, next)
    }),
  )
  return found.toSorted((one, other) => Number(isNamedNext(other)) - Number(isNamedNext(one)))
}

function isNamedNext(path: string): boolean {
  return /next|after|end|continu/i.test(path)
}

function leadsTo(value: JsonValue, { url }: SeenPage, next: SeenPage): boolean {
  if (typeof value !== 'string' || !isAddressLike(value)) return false
  return addressOn(url.origin, value, url.href) === next.url.pathname + next.url.search
}

function hasLinkTo({ answer, url }: SeenPage, next: SeenPage): boolean {
  const target = readLinks(answer.headers.link).get('next')
  return target !== undefined && addressOn(url.origin, target, url.href) === next.url.pathname + next.url.search
}

/** The number of all records, of a list that was read to its end. */
function totalIn({ reading: { records, isCut, doubt, pages }, scalars }: Step): string | undefined {
  if (isCut || doubt || pages.length < 2) return undefined
  const [first = []] = scalars
  const isSame = ({ path }: StatedValue) =>
    scalars.every((each) => each.find((scalar) => scalar.path === path)?.value === records.length)
  const isNamed = ({ name }: StatedValue) => /total|count|length|found|size/.test(name) && !/page/.test(name)
  return first.find((scalar) => isNamed(scalar) && isSame(scalar))?.path
}

/** The path of a flag that is true on each page except the last one, and false there. */
function moreIn({ reading: { isCut }, scalars }: Step): string | undefined {
  const [first = []] = scalars
  const named = first.filter(({ name, value }) => value === true && (MORE_NAMES.has(name) || /more|next/.test(name)))
  const isEnd = (index: number) => !isCut && index === scalars.length - 1
  return named.find(({ path }) =>
    scalars.every((each, index) => each.find((scalar) => scalar.path === path)?.value === !isEnd(index)),
  )?.path
}
