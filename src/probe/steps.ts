import { addressOn, readLinks } from '../api/pages/links.ts'
import { idText } from '../core/json.ts'
import { CURSORS, LAST_IDS, LOOSE_CURSORS, OFFSETS, PAGES } from './names.ts'
import type { PageAddress, SeenPage } from './probing-http.ts'
import { type StatedValue, scalarsIn } from './records-in.ts'

/** One way from a page to the next, in the grammar of `paging`. */
export type PagingStep =
  | { readonly by: 'link' }
  | { readonly by: 'next_url'; readonly next: string }
  | { readonly by: 'cursor'; readonly param: string; readonly next: string }
  | { readonly by: 'last'; readonly param: string }
  | { readonly by: 'page' | 'offset'; readonly param: string; readonly start?: number }

const NEXT =
  /next|cursor|token|after|continu|marker|bookmark|scroll|end|offset|position|from|since|resume|last_?(?:id|key|evaluated_?key)/
const OTHER = /prev|before|self|first|last(?!_?(?:id|key|evaluated))|total|count|size|limit|depend|rendered|extend/

/** The ways that the first page names, the most telling first: an address, then a cursor with each parameter that may carry it. */
export function statedSteps(page: SeenPage, items: string, lastId: string | undefined): readonly PagingStep[] {
  const scalars = scalarsIn(page.answer.json ?? null, items)
  const steps: PagingStep[] = readLinks(page.answer.headers.link).has('next') ? [{ by: 'link' }] : []
  // The id of the last record is a cursor under any name.
  const isNamed = ({ path, value }: StatedValue) =>
    (NEXT.test(path.toLowerCase()) && !OTHER.test(path.toLowerCase())) || (idText(value) ?? '') === lastId
  const named = scalars
    .filter(isNamed)
    .toSorted((one, other) => Number(/next/i.test(other.path)) - Number(/next/i.test(one.path)))
  for (const { path, value } of named) {
    if (typeof value === 'string' && isAddress(value)) steps.push({ by: 'next_url', next: path })
  }
  const cursors = named.filter(
    ({ value }) => !(typeof value === 'string' && isAddress(value)) && (idText(value) ?? '') !== '',
  )
  const by = (next: string, params: readonly string[]) =>
    params.map((param) => ({ by: 'cursor', param, next }) as const)
  steps.push(...cursors.flatMap(({ path }) => by(path, ownParameters(path))))
  steps.push(...cursors.flatMap(({ path, value }) => by(path, typeof value === 'number' ? NUMBERED : USUAL_CURSORS)))
  return [...new Map(steps.map((step) => [JSON.stringify(step), step])).values()]
}

const NUMBERED = [...PAGES.slice(0, 3), 'offset', 'skip', 'start', 'after', 'from', 'since']
const USUAL_CURSORS = [...CURSORS, 'page', 'offset', 'next', 'token', ...LOOSE_CURSORS]

/** The ways that no answer names: parameters in use elsewhere. */
export function usualSteps(): readonly PagingStep[] {
  return [
    ...PAGES.map((param) => ({ by: 'page', param }) as const),
    ...OFFSETS.map((param) => ({ by: 'offset', param }) as const),
    ...LAST_IDS.map((param) => ({ by: 'last', param }) as const),
  ]
}

/** Under its own name, without `next`, and by the last word of it: `continueFrom` is sent as `from`. */
function ownParameters(path: string): readonly string[] {
  const own = /([^.[\]=]*)\]?$/.exec(path)?.[1] ?? ''
  const bare = own.replace(/^next[-_]?(?=\w)|(?<=\w)[-_]?next$/i, '').replace(/^_+/, '')
  const camel = own.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())
  const last = /[A-Z]?[^A-Z_-]*$/.exec(own)?.[0].toLowerCase() ?? ''
  return [bare.charAt(0).toLowerCase() + bare.slice(1), own, camel, last].filter((name) => name !== '')
}

/** Whether a text looks like an address, possibly relative (RFC 3986, 4.2). */
function isAddress(text: string): boolean {
  return /^(?:https?:\/\/|[/?]|\.\.?\/)|^[\w.~%/-]+\?[\w.~%$[\]-]+=/i.test(text)
}

interface At {
  readonly page: SeenPage
  readonly items: string
  /** The records on all pages so far, and the number of pages. */
  readonly records: number
  readonly pages: number
  readonly lastId: string | undefined
}

/** The place of the next page by a step; undefined where the answer names none, which is its end. */
export function nextBy(step: PagingStep, { page, items, records, pages, lastId }: At): PageAddress | undefined {
  const stated = (path: string) => scalarsIn(page.answer.json ?? null, items).find((each) => each.path === path)?.value
  switch (step.by) {
    case 'link':
      return atAddress(readLinks(page.answer.headers.link).get('next'), page)
    case 'next_url': {
      const value = stated(step.next)
      return atAddress(typeof value === 'string' && value !== '' ? value : undefined, page)
    }
    case 'cursor': {
      const text = saysEnd(scalarsIn(page.answer.json ?? null, items)) ? undefined : idText(stated(step.next))
      return text === undefined || text === '' ? undefined : { query: { [step.param]: text } }
    }
    case 'last':
      return lastId === undefined ? undefined : { query: { [step.param]: lastId } }
    case 'page':
      return { query: { [step.param]: String(pages + (step.start ?? 1)) } }
    default:
      return { query: { [step.param]: String(records + (step.start ?? 0)) } }
  }
}

/** `has_more: false` stands beside the cursor of the last record. */
function saysEnd(scalars: readonly StatedValue[]): boolean {
  return scalars.some(({ name, value }) => /^(?:has)?(?:more|next)/.test(name) && value === false)
}

function atAddress(target: string | undefined, { url }: SeenPage): PageAddress | undefined {
  const address = target === undefined ? undefined : addressOn(url.origin, target, url.href)
  return address === undefined ? undefined : { address }
}

/** The same way by the parameter that counts in the addresses of the pages: pages, or the records before them. */
export function countedSteps({ url: first, items }: SeenPage, { url: second }: SeenPage): readonly PagingStep[] {
  const changed = [...second.searchParams].filter(([name, value]) => first.searchParams.get(name) !== value)
  return changed.flatMap(([param, value]): readonly PagingStep[] => {
    if (value === '2') return [{ by: 'page', param }]
    if (Number(value) === items.length && items.length > 1) return [{ by: 'offset', param }]
    return value === '1' ? [{ by: 'page', param, start: 0 }] : []
  })
}
