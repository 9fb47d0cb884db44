import type { JsonObject } from '../../../src/core/json.ts'
import type { Answered, Asked, ListShape } from '../shape.ts'
import { numberIn, type Slice, sliceAt, textOf } from './slice.ts'

type Render = (slice: Slice, asked: Asked) => unknown

/** Pages of 20 behind an opaque cursor that goes back in `parameter`. */
function cursor(name: string, parameter: string, render: Render, rest: Partial<ListShape> = {}): ListShape {
  return {
    name,
    holds: 45,
    answer: (asked, all) => ({ json: render(sliceAt(all, startOf(asked, parameter), 20), asked) }),
    right: 'complete',
    ...rest,
  }
}

const startOf = ({ query }: Asked, parameter: string) => Number((query.get(parameter) ?? 'at0').slice(2))
const tokenOf = (next: number | undefined) => (next === undefined ? undefined : `at${next}`)

export const CURSORS: readonly ListShape[] = [
  {
    name: 'next_cursor and has_more, as crm serve',
    holds: 45,
    answer: (asked, all) => {
      const { items, next } = sliceAt(all, numberIn(asked, 'cursor', 0), 20)
      return { json: { data: items, next_cursor: textOf(next), has_more: next !== undefined } }
    },
    right: 'complete',
  },
  cursor('nextPageToken (Google), gone on the last page', 'pageToken', ({ items, next }) => ({
    items,
    nextPageToken: tokenOf(next),
  })),
  {
    name: 'pages.next with a page and starting_after (Intercom)',
    holds: 45,
    answer: (asked, all) => {
      const [, at = '45'] = /^at(\d+)$/.exec(asked.query.get('starting_after') ?? 'at0') ?? []
      const { items, next } = sliceAt(all, Number(at), 20)
      const page = Number(at) / 20 + 1
      const after = next === undefined ? null : { page: page + 1, starting_after: tokenOf(next) }
      const pages = { type: 'pages', page, per_page: 20, total_pages: 3, next: after }
      return { json: { type: 'list', data: items, total_count: 45, pages } }
    },
    right: 'complete',
  },
  cursor('next_page_token in snake case', 'page_token', ({ items, next }) => ({
    data: items,
    next_page_token: tokenOf(next) ?? '',
  })),
  cursor('meta.next_token that goes back as pagination_token', 'pagination_token', ({ items, next }) => ({
    data: items,
    meta: { result_count: items.length, next_token: tokenOf(next) },
  })),
  cursor('meta.next_token that goes back as next_token', 'next_token', ({ items, next }) => ({
    data: items,
    meta: { result_count: items.length, next_token: tokenOf(next) },
  })),
  cursor('offset that is a text (Airtable)', 'offset', ({ items, next }) => ({
    records: items,
    offset: tokenOf(next),
  })),
  cursor('paging.next.after (HubSpot), gone on the last page', 'after', ({ items, next }) => ({
    results: items,
    ...(next === undefined ? {} : { paging: { next: { after: tokenOf(next), link: 'https://elsewhere.example/x' } } }),
  })),
  cursor('additional_data.next_cursor (Pipedrive)', 'cursor', ({ items, next }) => ({
    success: true,
    data: items,
    additional_data: { next_cursor: tokenOf(next) ?? null },
  })),
  cursor('response_metadata.next_cursor (Slack), empty at the end', 'cursor', ({ items, next }) => ({
    ok: true,
    data: items,
    response_metadata: { next_cursor: tokenOf(next) ?? '' },
  })),
  cursor('meta.has_more and meta.after_cursor (Zendesk)', 'page[after]', ({ items, next }) => ({
    contacts: items,
    meta: { has_more: next !== undefined, after_cursor: tokenOf(next) ?? null, before_cursor: 'b' },
    links: { prev: null },
  })),
  cursor('pagination.cursor (Twitch), gone at the end', 'after', ({ items, next }) => ({
    data: items,
    pagination: next === undefined ? {} : { cursor: tokenOf(next) },
  })),
  cursor('NextMarker and IsTruncated', 'marker', ({ items, next }) => ({
    data: items,
    IsTruncated: next !== undefined,
    NextMarker: tokenOf(next),
  })),
  cursor('continuationToken', 'continuationToken', ({ items, next }) => ({
    value: items,
    continuationToken: tokenOf(next) ?? null,
  })),
  cursor('scroll_id that is sent back under its name', 'scroll_id', ({ items, next }) => ({
    data: items,
    scroll_id: tokenOf(next) ?? null,
  })),
  cursor('a cursor in a place of its own, with a name that is not listed', 'cursor', ({ items, next }) => ({
    data: items,
    paging_state: { resume_cursor: tokenOf(next) },
  })),
  cursor('next_cursor that goes back as page_token', 'page_token', ({ items, next }) => ({
    data: items,
    next_cursor: tokenOf(next) ?? null,
  })),
  cursor('next_cursor that is 0 at the end', 'cursor', ({ items, next }) => ({
    data: items,
    next_cursor: tokenOf(next) ?? 0,
  })),
  cursor('pageInfo of Relay below data.contacts', 'after', ({ items, next }) => ({
    data: {
      contacts: {
        edges: items.map((node) => ({ node })),
        pageInfo: { hasNextPage: next !== undefined, endCursor: tokenOf(next) ?? 'at45' },
      },
    },
  })),
  cursor('a total that is too low beside a cursor', 'cursor', ({ items, next }) => ({
    data: items,
    total: 20,
    next_cursor: tokenOf(next) ?? null,
  })),
  cursor('next_cursor that leads on beside has_more: false', 'cursor', ({ items, next }) => ({
    data: items,
    next_cursor: tokenOf(next) ?? null,
    has_more: false,
  })),
  cursor('next_page_token that leads on beside more_records: false', 'page_token', ({ items, next }) => ({
    data: items,
    info: { next_page_token: tokenOf(next) ?? null, more_records: false },
  })),
  cursor('meta.next_token that leads on beside has_more: false', 'next_token', ({ items, next }) => ({
    data: items,
    meta: { next_token: tokenOf(next) ?? null },
    has_more: false,
  })),
  cursor('next_cursor that goes back as page_token, beside has_more: false', 'page_token', ({ items, next }) => ({
    data: items,
    next_cursor: tokenOf(next) ?? null,
    has_more: false,
  })),
  cursor(
    'next_cursor on the last page too, and has_more: false there',
    'cursor',
    ({ items, next }, asked) => ({
      data: items,
      next_cursor: `at${startOf(asked, 'cursor') + 20}`,
      has_more: next !== undefined,
    }),
    {},
  ),
  {
    ...cursor('next_cursor and has_more: false on the one page of a server that ignores cursors', '', () => ({})),
    answer: (_asked, all) => ({ json: { data: all, next_cursor: 'at45', has_more: false } }),
  },
  {
    ...cursor('next_cursor and has_more: false on the last page, and 400 behind it', '', () => ({})),
    answer: (asked, all) => {
      const start = startOf(asked, 'cursor')
      if (start >= 45) return { status: 400, json: { message: 'no such cursor' } }
      const { items, next } = sliceAt(all, start, 20)
      return { json: { data: items, next_cursor: `at${start + 20}`, has_more: next !== undefined } }
    },
  },
  cursor('endCursor on the last page too (Relay)', 'after', ({ items, next }, asked) => ({
    edges: items.map((node) => ({ node })),
    pageInfo: { hasNextPage: next !== undefined, endCursor: `at${startOf(asked, 'after') + items.length}` },
  })),
  {
    ...cursor('has_more alone: the last id leads on (Stripe)', '', () => ({})),
    answer: (asked, all) => afterLast(asked, all, 'starting_after'),
  },
  {
    ...cursor('hasMore alone, and the last id goes in after_id', '', () => ({})),
    answer: (asked, all) => afterLast(asked, all, 'after_id'),
  },
  {
    name: 'X-Next-Cursor in a header',
    holds: 45,
    answer: (asked, all) => {
      const { items, next } = sliceAt(all, startOf(asked, 'cursor'), 20)
      const token = tokenOf(next)
      return { json: items, headers: token === undefined ? {} : { 'x-next-cursor': token } }
    },
    right: 'complete',
  },
  {
    name: 'X-Continuation-Token in a header, which no name is known for',
    holds: 45,
    answer: (asked, all) => {
      const { items, next } = sliceAt(all, startOf(asked, 'continuation_token'), 20)
      const token = tokenOf(next)
      return { json: { data: items }, headers: token === undefined ? {} : { 'x-continuation-token': token } }
    },
    right: 'complete',
  },
]

function afterLast({ query }: Asked, all: readonly JsonObject[], parameter: string): Answered {
  const last = query.get(parameter)
  const { items, next } = sliceAt(all, all.findIndex(({ id }) => id === last) + 1, 20)
  return { json: { data: items, [parameter === 'after_id' ? 'hasMore' : 'has_more']: next !== undefined } }
}
