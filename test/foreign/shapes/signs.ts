import type { JsonObject } from '../../../src/core/json.ts'
import type { Answered, ListShape } from '../shape.ts'
import { numberIn, pageAt, sizeIn, sliceAt } from './slice.ts'

const HOLDS = 23

/** Seven records of 23, whatever is asked. */
function part(name: string, more: object, { headers = {}, status = 200 } = {}): ListShape {
  return {
    name,
    holds: HOLDS,
    answer: (_asked, all): Answered => ({ status, json: { data: all.slice(0, 7), ...more }, headers }),
    right: 'refused',
  }
}

/** Answers that say they are a part, and nothing leads on. */
export const PARTS: readonly ListShape[] = [
  part('max_num_pages', { max_num_pages: 5 }),
  part('recordCount', { recordCount: 237 }),
  part('size', { size: 237 }),
  part('a total with a comma', { total: '1,237' }),
  part('remaining', { remaining: 230 }),
  part('meta.remaining_items', { meta: { remaining_items: 230 } }),
  part('links.last', { links: { self: '/v1/contacts?page=1', last: '/v1/contacts?page=34' } }),
  part('Link rel="last"', {}, { headers: { link: '</v1/contacts?page=34>; rel="last"' } }),
  part('page: 1 of 34', { page: '1 of 34' }),
  part('207', {}, { status: 207 }),
  part('203 and Warning: 199', {}, { status: 203, headers: { warning: '199 - "partial results"' } }),
  part('complete: false', { complete: false }),
  part('timed_out: true', { timed_out: true }),
  part('a shard that failed', { _shards: { total: 5, successful: 4, failed: 1 } }),
  part('limitExceeded: true', { limitExceeded: true }),
  part('status: partial', { status: 'partial' }),
  part('a warning', { warnings: ['Results truncated to 7 of 237'] }),
  part('a message', { message: 'Showing 7 of 237' }),
  part('X-Truncated', {}, { headers: { 'x-truncated': 'true' } }),
  part('iterator', { iterator: 'abc' }),
  part('watermark', { watermark: 'abc' }),
]

function seven(name: string, more: object, headers: Answered['headers'] = {}): ListShape {
  return { name, holds: 7, answer: (_asked, all) => ({ json: { data: all, ...more }, headers }), right: 'complete' }
}

/** Whole lists beside words of more that mean something else. */
export const DISTRACTED: readonly ListShape[] = [
  seven('a token', { token: 'csrf-abc' }),
  seven('nextSyncToken', { nextSyncToken: 'abc' }),
  seven('sync_token', { sync_token: 'abc' }),
  seven('more_info', { more_info: 'https://docs.example.com/contacts' }),
  seven('meta.token_type', { meta: { token_type: 'Bearer' } }),
  seven('utc_offset', { utc_offset: 3600, timezone_offset: -60 }),
  seven('next that is an empty array', { next: [] }),
  seven('quota.total', { quota: { total: 5000, used: 7 } }),
  seven('X-Next-Maintenance', {}, { 'x-next-maintenance': '2026-12-01' }),
  seven('X-Next-Reset', {}, { 'x-next-reset': '60' }),
  seven('Warning: 299', {}, { warning: '299 - "Deprecated API"' }),
  seven('a size of the page', { size: 100, number: 0 }),
  seven('a message that counts all', { message: 'Showing 7 of 7' }),
  seven('shards that did not fail', { timed_out: false, _shards: { total: 5, successful: 5, failed: 0 } }),
  seven('links.last that is this page', { links: { self: '?page=1', last: '/v1/contacts?page=1' } }),
]

type Place = (text: string | undefined, all: readonly JsonObject[]) => number
type Paged = (all: readonly JsonObject[], start: number) => Answered

/** Pages of 50 at a place that one parameter names. */
function led(name: string, parameter: string, render: Paged, at: Place = placeOf): ListShape {
  return {
    name,
    holds: 237,
    answer: ({ query }, all) => render(all, at(query.get(parameter) ?? undefined, all)),
    right: 'complete',
  }
}

function placeOf(text: string | undefined): number {
  return text === undefined ? 0 : Number(text)
}

function behindId(text: string | undefined, all: readonly JsonObject[]): number {
  return all.findIndex(({ id }) => `k${id}` === text || id === text) + 1
}

const size = 50

/** Ways on that stand in unusual places. */
export const LEADING: readonly ListShape[] = [
  led('links that are an array', 'zz', (all, start) => {
    const { items, next } = sliceAt(all, start, size)
    const self = { rel: 'self', href: '/v1/contacts' }
    const links = next === undefined ? [self] : [self, { rel: 'next', href: `/v1/contacts?zz=${next}` }]
    return { json: { items, links } }
  }),
  ...['next_page', 'nextPage', 'next'].map(
    (member): ListShape => ({
      name: `${member} that says yes or no`,
      holds: 237,
      answer: (asked, all) => {
        const { items, next } = pageAt(all, numberIn(asked, 'page', 1), size)
        return { json: { data: items, [member]: next !== undefined } }
      },
      right: 'complete',
    }),
  ),
  led('a cursor on each edge, without pageInfo', 'after', (all, start) => ({
    json: { edges: sliceAt(all, start, size).items.map((node, n) => ({ node, cursor: String(start + n + 1) })) },
  })),
  led(
    'a cursor in each record',
    'after',
    (all, start) => ({
      json: { data: sliceAt(all, start, size).items.map((each) => ({ ...each, cursor: `k${each.id}` })) },
    }),
    behindId,
  ),
  led('last_id', 'min_id', (all, start) => lastId(all, start, 'last_id'), behindId),
  led('watermark', 'since', (all, start) => lastId(all, start, 'watermark'), behindId),
  led('iterator', 'iterator', (all, start) => {
    const { items, next } = sliceAt(all, start, size)
    return { json: { data: items, iterator: next ?? null } }
  }),
  led('position', 'position', (all, start) => ({
    json: { data: sliceAt(all, start, size).items, position: start + size },
  })),
  led('next and start (Bitrix24)', 'start', (all, start) => {
    const { items, next } = sliceAt(all, start, size)
    return { json: { result: items, total: 237, ...(next !== undefined && { next }) } }
  }),
  led('next_cursor and start_cursor (Notion)', 'start_cursor', (all, start) => {
    const { items, next } = sliceAt(all, start, size)
    return {
      json: { results: items, has_more: next !== undefined, next_cursor: next === undefined ? null : `${next}` },
    }
  }),
  led('vid-offset and vidOffset (HubSpot v1)', 'vidOffset', (all, start) => {
    const { items, next } = sliceAt(all, start, size)
    return { json: { contacts: items, 'has-more': next !== undefined, 'vid-offset': start + size } }
  }),
  led('metadata.continue (Kubernetes)', 'continue', (all, start) => {
    const { items, next } = sliceAt(all, start, size)
    const more = next === undefined ? {} : { continue: `${next}`, remainingItemCount: 237 - next }
    return { json: { items, metadata: more } }
  }),
  {
    name: '_skip and has_more (Close)',
    holds: 237,
    answer: (asked, all) => {
      const { items, next } = sliceAt(all, numberIn(asked, '_skip', 0), sizeIn(asked, '_limit', 50, 100))
      return { json: { data: items, has_more: next !== undefined } }
    },
    right: 'complete',
  },
]

function lastId(all: readonly JsonObject[], start: number, member: string): Answered {
  const { items } = sliceAt(all, start, size)
  return { json: { data: items, [member]: items.at(-1)?.id ?? null } }
}
