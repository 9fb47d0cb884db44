import type { Wire } from '../../core/wire.ts'
import type { Position } from '../errors/position.ts'
import { OFFSET_PARAMETERS, PAGE_PARAMETERS } from './names.ts'
import type { PageAnswer } from './page-answer.ts'

/** Paging by numbers: of the page, or of the records before it. */
export interface Counting {
  readonly kind: 'page' | 'offset'
  readonly parameter: string
  /** The number of the last page, or of the records before it. */
  readonly at: number
}

type CountingWire = Pick<Wire, 'paging' | 'cursorParam'>

export function countedPosition(counting: Counting, url: URL): Position {
  const next = new URL(url)
  setCounted(next, counting)
  return { address: next.pathname + next.search }
}

/** `_start` comes with `_end`, which keeps its distance (react-admin): the length of the first page. */
export function setCounted(url: URL, { parameter, at }: Counting): void {
  const { searchParams } = url
  const length = Number(searchParams.get('_end') ?? at) - Number(searchParams.get('_start') ?? 0)
  searchParams.set(parameter, String(at))
  if (parameter === '_start') searchParams.set('_end', String(at + Math.max(1, length)))
}

/** The number of the next page. */
export function nextCounting(counting: Counting, { items }: Pick<PageAnswer, 'items'>): Counting {
  return { ...counting, at: counting.at + (counting.kind === 'page' ? 1 : items.length) }
}

/** The number in the query of a request, to continue an earlier list. */
export function countingIn(url: URL, { paging, cursorParam }: CountingWire): Counting | undefined {
  const own = paging === 'page' || paging === 'offset' ? paging : undefined
  for (const [parameter, text] of url.searchParams) {
    const kind = own && cursorParam !== undefined ? (parameter === cursorParam ? own : undefined) : kindOf(parameter)
    if (kind !== undefined && /^\d{1,9}$/.test(text)) return { kind, parameter, at: Number(text) }
  }
  return undefined
}

function kindOf(parameter: string): Counting['kind'] | undefined {
  if (PAGE_PARAMETERS.some((name) => name === parameter)) return 'page'
  return OFFSET_PARAMETERS.some((name) => name === parameter) ? 'offset' : undefined
}

/** The second page by all ways of counting, most likely first. */
export function countings(
  { offsetName, items }: Pick<PageAnswer, 'offsetName' | 'items'>,
  url: URL,
  { paging, cursorParam }: CountingWire,
): readonly Counting[] {
  const page = (parameter: string): Counting => ({ kind: 'page', parameter, at: 2 })
  const offset = (parameter: string): Counting => ({ kind: 'offset', parameter, at: items.length })
  if (paging === 'page') return [page(cursorParam ?? 'page')]
  if (paging === 'offset') return [offset(cursorParam ?? 'offset')]
  const own = offsetName === undefined ? [] : [offset(offsetName), offset(`$${offsetName}`), offset(`_${offsetName}`)]
  const [first, ...others] = PAGE_PARAMETERS.map(page)
  const all = [...own, ...(first ? [first] : []), ...OFFSET_PARAMETERS.map(offset), ...others]
  const known = new Set<string>()
  // A parameter that is sent already is a filter or the page size.
  return all.filter(
    ({ parameter }) => !url.searchParams.has(parameter) && !known.has(parameter) && known.add(parameter),
  )
}
