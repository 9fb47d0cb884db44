import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { valueAt } from '../value-at.ts'
import type { Sign } from './envelope.ts'
import { readLinks } from './link-header.ts'
import { PAGE_PARAMETERS } from './names.ts'

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

/** RFC 8288, JSON:API and FHIR: there are links to other pages, but none to a next one. */
export function hasOtherLinks(links: Links, json: JsonValue): boolean {
  if (isJsonObject(json) && json.resourceType === 'Bundle' && links.has('self')) return true
  const isPaged = (names: readonly string[]) => names.some((name) => /^(?:prev|previous|first|last)$/.test(name))
  const inBody = valueAt(json, ['links']) ?? valueAt(json, ['_links'])
  return isPaged([...links.keys()]) || (isJsonObject(inBody) && isPaged(Object.keys(inBody)))
}
