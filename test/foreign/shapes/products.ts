import type { Answered, Asked, ListShape } from '../shape.ts'
import { numberIn, sizeIn, sliceAt } from './slice.ts'

type Records = Parameters<ListShape['answer']>[1]

function product(name: string, answer: (asked: Asked, all: Records) => Answered, counts = [7, 20, 237]) {
  return counts.map((holds): ListShape => ({ name: `${name}, and ${holds} records`, holds, answer, right: 'complete' }))
}

function fhir(asked: Asked, all: Records, isCounted: boolean) {
  const [start, size] = [numberIn(asked, '_getpagesoffset', 0), sizeIn(asked, '_count', 20, 100)]
  const { items, next } = sliceAt(all, start, size)
  const link = [{ relation: 'self', url: `${asked.origin}/v1/contacts` }]
  const url = `${asked.origin}/v1/contacts?_getpagesoffset=${next}&_count=${size}`
  if (next !== undefined) link.push({ relation: 'next', url })
  const entry = items.map((each) => ({ resource: { resourceType: 'Person', ...each }, search: { mode: 'match' } }))
  const bundle = { resourceType: 'Bundle', type: 'searchset', link, ...(isCounted && { total: all.length }) }
  return { json: items.length > 0 ? { ...bundle, entry } : { ...bundle, total: 0 } }
}

/** Answers as these products document them, which need no setting. */
export const PRODUCTS: readonly ListShape[] = [
  ...product('a FHIR Bundle', (asked, all) => fhir(asked, all, true), [0, 7, 20, 237]),
  ...product('a FHIR Bundle without a total', (asked, all) => fhir(asked, all, false)),
  ...product('members and total_items (Mailchimp)', (asked, all) => {
    const { items } = sliceAt(all, numberIn(asked, 'offset', 0), sizeIn(asked, 'count', 10, 1000))
    const _links = [{ rel: 'self', href: `${asked.origin}/v1/contacts`, method: 'GET' }]
    return { json: { members: items, list_id: 'a', total_items: all.length, _links } }
  }),
  ...product('documents and nextPageToken (Firestore)', (asked, all) => {
    const { items, next } = sliceAt(all, numberIn(asked, 'pageToken', 0), sizeIn(asked, 'pageSize', 20, 300))
    return { json: { documents: items, ...(next !== undefined && { nextPageToken: `${next}` }) } }
  }),
  ...product('Resources and startIndex (SCIM)', (asked, all) => {
    const startIndex = numberIn(asked, 'startIndex', 1)
    const { items } = sliceAt(all, startIndex - 1, sizeIn(asked, 'count', 100))
    return { json: { totalResults: all.length, startIndex, itemsPerPage: items.length, Resources: items } }
  }),
  ...product('_links.next below _links.base (Confluence)', (asked, all) => {
    const { items, next } = sliceAt(all, numberIn(asked, 'start', 0), sizeIn(asked, 'limit', 25, 100))
    const more =
      next === undefined ? {} : { next: `/v1/contacts?limit=${sizeIn(asked, 'limit', 25, 100)}&start=${next}` }
    return { json: { results: items, _links: { base: `${asked.origin}/wiki`, context: '/wiki', ...more } } }
  }),
  {
    name: 'documents and a total that no parameter leads to (Appwrite, whose queries are expressions)',
    holds: 237,
    answer: (_asked, all) => ({ json: { total: all.length, documents: all.slice(0, 25) } }),
    right: { refused: [/total states 237 records, but the list has 25/] },
  },
]
