import { ADA, ATTACK, BOB, begins, json, listed, MIB, page, type Row, refused, second, shows, text } from './row.ts'

const NO_RECORD = /the list contains something that is not a record/
const NO_CURSOR = /has_more is .*(?:no next_cursor|expected true or false)/
const SAME_PAGE = /answers with records of an earlier page/
const NO_LIST = /expected a list at data\[\], got /

const CURSORS: readonly Row[] = [
  [
    'list',
    'a cursor to itself, with other records each time',
    (response, { nth }) =>
      void response.end(JSON.stringify(page([{ id: `con_${nth}` }], { next_cursor: 'a', has_more: true }))),
    begins([{ id: 'con_1' }], /repeated the next page, a/),
  ],
  [
    'list',
    'two cursors in turn, with other records each time',
    (response, { nth }) =>
      void response.end(
        JSON.stringify(page([{ id: `con_${nth}` }], { next_cursor: nth % 2 ? 'a' : 'b', has_more: true })),
      ),
    begins(
      [1, 2].map((nth) => ({ id: `con_${nth}` })),
      /repeated the next page, a/,
    ),
  ],
  [
    'list',
    'a new cursor each time, with the page before',
    (response, { nth }) => void response.end(JSON.stringify(page([ADA], { next_cursor: `c${nth}`, has_more: true }))),
    begins([ADA], SAME_PAGE),
  ],
  [
    'list',
    'empty pages for ever',
    (response, { nth }) => void response.end(JSON.stringify(page([], { next_cursor: `c${nth}`, has_more: true }))),
    refused(7, /100 consecutive pages are empty/),
  ],
  ['list', 'has_more and no cursor', listed([ADA], { has_more: true }), refused(7, NO_CURSOR)],
  ['list', 'has_more as a text and no cursor', listed([ADA], { has_more: 'yes' }), refused(7, NO_CURSOR)],
  ['list', 'has_more as a number and no cursor', listed([ADA], { has_more: 1 }), refused(7, NO_CURSOR)],
  [
    'list',
    'a cursor that is an object',
    listed([ADA], { next_cursor: { a: 1 }, has_more: true }),
    refused(7, /next_cursor is \{"a":1\}, expected a cursor/),
  ],
  [
    'list',
    'a cursor that is a list',
    listed([ADA], { next_cursor: ['a'], has_more: true }),
    refused(7, /next_cursor is \["a"\], expected a cursor/),
  ],
  [
    'list',
    'a cursor that is true',
    listed([ADA], { next_cursor: true, has_more: true }),
    refused(7, /next_cursor is true, expected a cursor/),
  ],
  [
    'list',
    'a cursor beyond a double',
    text(200, '{"data":[{"id":"con_1"}],"next_cursor":1e400,"has_more":true}'),
    begins([{ id: 'con_1' }], SAME_PAGE),
  ],
  [
    'list',
    'a cursor of 1 MiB',
    listed([ADA], { next_cursor: MIB, has_more: true }),
    refused(7, /the cursor is longer than 65536 characters/),
  ],
  [
    'list',
    'a cursor that a terminal would obey',
    (response, { nth }) =>
      void response
        .writeHead(nth > 1 ? 500 : 200)
        .end(JSON.stringify(nth > 1 ? {} : page([ADA], { next_cursor: ATTACK, has_more: true }))),
    begins([ADA], /\(500\)/, 9),
  ],
  [
    'list',
    'a cursor that looks like more of a query',
    (response, { request }) => {
      const cursor = new URL(request.path, 'http://x.test').searchParams.get('cursor')
      const body = cursor === 'x&limit=1#' ? page([BOB]) : page([ADA], { next_cursor: 'x&limit=1#', has_more: true })
      response.end(JSON.stringify(body))
    },
    shows([ADA, BOB]),
  ],
  [
    'list',
    'an address of the next page on another origin',
    (response, { elsewhere }) =>
      void response.end(JSON.stringify({ data: [ADA], links: { next: `${elsewhere}/v1/contacts` } })),
    refused(7, /which show whether there is more/),
  ],
]

const SECOND_PAGES: readonly Row[] = [
  ['list', 'a sign-in page as the second page', second(text(200, '<html><title>Sign in')), begins([ADA], /HTML page/)],
  ['list', '404 as the second page', second(json(404, {})), begins([ADA], /\(404\)/, 6)],
  ['list', 'an empty object as the second page', second(json(200, {})), begins([ADA], NO_LIST)],
  ['list', 'null as the second page', second(json(200, null)), begins([ADA], NO_LIST)],
  ['list', 'truncated JSON as the second page', second(text(200, '{"data":[{"id":"con_')), begins([ADA], /not JSON/)],
  [
    'list',
    'the first page as the second page',
    second(listed([ADA], { next_cursor: 'c', has_more: true })),
    begins([ADA], SAME_PAGE),
  ],
  ['list', 'records and something else as the second page', second(listed([BOB, 7])), begins([ADA], NO_RECORD)],
]

const TOTALS: readonly Row[] = [
  ['list', 'a total below its records', listed([ADA, BOB], { total: 1 }), shows([ADA, BOB])],
  ['list', 'a negative total', listed([ADA, BOB], { total: -1 }), shows([ADA, BOB])],
  ['list', 'a total in words', listed([ADA, BOB], { total: 'many' }), shows([ADA, BOB])],
]

const ITEMS: readonly Row[] = [
  ['list', 'numbers in place of records', listed([1, 2]), refused(7, NO_RECORD)],
  ['list', 'a record and null', listed([ADA, null]), refused(7, NO_RECORD)],
  ['list', 'a list in a list', listed([[ADA]]), refused(7, NO_RECORD)],
  [
    'list',
    'an object that looks like a list',
    listed({ 0: ADA, length: 1 }),
    refused(7, /expected a list at data\[\], got an object with data/),
  ],
  [
    'list',
    'a text in place of the list',
    listed('con_1'),
    refused(7, /expected a list at data\[\], got an object with data/),
  ],
]

export const PAGES: readonly Row[] = [...CURSORS, ...SECOND_PAGES, ...TOTALS, ...ITEMS]
