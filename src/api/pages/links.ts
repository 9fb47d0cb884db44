import { idText, isJsonObject, type JsonValue } from '../../core/json.ts'
import { valueAt } from '../value-at.ts'
import type { Member, Sign } from './envelope.ts'
import { PAGE_PARAMETERS } from './names.ts'
import type { Place } from './page-shapes.ts'
import { isAddressLike } from './positions.ts'
import { isNothing } from './signs.ts'

export type Links = ReadonlyMap<string, string>

/** The links of the Link header, then those in the body: `"links": [{"rel": "next", "href": "..."}]`. */
export function linksOf(json: JsonValue, header: string | readonly string[] | undefined): Links {
  const links = new Map(readLinks(header))
  for (const name of ['links', 'link', '_links']) {
    const list = valueAt(json, [name])
    if (!Array.isArray(list)) continue
    for (const link of list.filter(isJsonObject)) {
      const [relation, target] = [link.rel ?? link.relation, link.href ?? link.url]
      if (typeof relation !== 'string' || typeof target !== 'string') continue
      if (!links.has(relation.toLowerCase())) links.set(relation.toLowerCase(), target)
    }
  }
  return links
}

/** A link to a last page that comes after the requested page. */
export function lastPageAhead(json: JsonValue, links: Links, url: URL): Sign | undefined {
  const places = [
    ['links', 'last', 'href'],
    ['links', 'last'],
    ['_links', 'last', 'href'],
    ['_links', 'last'],
  ]
  const target = [links.get('last'), ...places.map((place) => valueAt(json, place))].find(
    (each) => typeof each === 'string',
  )
  for (const [parameter, text] of (target === undefined ? null : URL.parse(target, url.href))?.searchParams ?? []) {
    const isPage = PAGE_PARAMETERS.some((name) => name === parameter) && /^\d{1,9}$/.test(text)
    if (isPage && Number(text) > Number(url.searchParams.get(parameter) ?? 1)) {
      return { at: 'the link to the last page', ownName: 'last', value: undefined }
    }
  }
  return undefined
}

/** RFC 8288, JSON:API and FHIR: there are links to other pages, but no next link. */
export function hasOtherLinks(links: Links, json: JsonValue): boolean {
  if (isJsonObject(json) && json.resourceType === 'Bundle' && links.has('self')) return true
  const isPaged = (names: readonly string[]) => names.some((name) => /^(?:prev|previous|first|last)$/.test(name))
  const inBody = valueAt(json, ['links']) ?? valueAt(json, ['_links'])
  return isPaged([...links.keys()]) || (isJsonObject(inBody) && isPaged(Object.keys(inBody)))
}

/** The `cursor` of the last record or its edge (Relay connection specification), if each record has a different one. */
export function recordCursor(json: JsonValue, { place }: { readonly place: Place }): Sign | undefined {
  const list = valueAt(json, place)
  if (!Array.isArray(list) || list.length < 2) return undefined
  const cursors = list.map((each) => (isJsonObject(each) ? idText(each.cursor) : undefined))
  const isEach = new Set(cursors).size === list.length && !cursors.includes(undefined)
  return isEach
    ? { at: 'the cursor of the last record', ownName: 'cursor', value: cursors.at(-1), isHint: true }
    : undefined
}

/** The unchanged targets of a Link header (RFC 8288) by relation in lower case; the first of several. */
export function readLinks(header: string | readonly string[] | undefined): ReadonlyMap<string, string> {
  const links = new Map<string, string>()
  if (!header) return links
  // Targets and quoted values may contain commas and semicolons.
  for (const [, target = '', parameters = ''] of String(header).matchAll(/<([^<>]*)>((?:[^,"<]|"[^"]*")*)/g)) {
    // Sentry links to a next page on every page, with results="false" on the last.
    const isEmpty = /;\s*results\s*=\s*"?false\b/i.test(parameters)
    const relations = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters)
    for (const name of (relations?.[1] ?? relations?.[2] ?? '').toLowerCase().split(/\s+/)) {
      if (name !== '' && !links.has(name) && !(isEmpty && name === 'next')) links.set(name, target)
    }
  }
  return links
}

/** An object about paging links to the first, the previous and the last page beside the next one (Mailgun). */
export function isLinkedBack(members: readonly Member[]): boolean {
  return members.some(({ at, name, isHeader }) => {
    if (isHeader || name !== 'next') return false
    const around = at.slice(0, at.lastIndexOf('.') + 1)
    const isLink = (names: readonly string[]) =>
      members.some((each) => names.some((n) => each.at === around + n) && isAddressLike(idText(each.value) ?? ''))
    return isLink(['first']) && isLink(['prev', 'previous']) && isLink(['last'])
  })
}

const PREVIOUS = /^(?:has)?prev(?:ious)?(?:page)?(?:url|link|cursor|token)?$/

export function hasPrevious(links: Links, members: readonly Member[]): boolean {
  const isStated = ({ name, value }: Member) => PREVIOUS.test(name) && !isNothing(value)
  return links.has('prev') || links.has('previous') || members.some(isStated)
}
