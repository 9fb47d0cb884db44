import { ADA, ATTACK, BOB, begins, json, listed, MIB, page, type Row, refused, second, shows, text } from './row.ts'

const NO_RECORD = /the list contains something that is not a record/
const NO_CURSOR = /there are more records, but no cursor for them/
const SAME_PAGE = /returns the same page again/
const FAILED = /the next page, cursor=b, failed/

const CURSORS: readonly Row[] = [
  [
    'list',
    'a cursor to itself, with other records each time',
    (response, { nth }) =>
      void response.end(JSON.stringify(page([{ id: `con_${nth}` }], { next_cursor: 'a', has_more: true }))),
    begins([{ id: 'con_1' }, { id: 'con_2' }], /repeated the cursor a/),
  ],
  [
    'list',
    'two cursors in turn, with other records each time',
    (response, { nth }) =>
      void response.end(
        JSON.stringify(page([{ id: `con_${nth}` }], { next_cursor: nth % 2 ? 'a' : 'b', has_more: true })),
      ),
    begins(
      [1, 2, 3].map((nth) => ({ id: `con_${nth}` })),
      /repeated the cursor a/,
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
    refused(7, /the cursor is not a string: \{"a":1\}/),
  ],
  [
    'list',
    'a cursor that is a list',
    listed([ADA], { next_cursor: ['a'], has_more: true }),
    refused(7, /the cursor is not a string: \["a"\]/),
  ],
  ['list', 'a cursor that is true', listed([ADA], { next_cursor: true, has_more: true }), begins([ADA], /has_more/)],
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
    begins([ADA], /evil.*\(500\)/, 9),
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
    refused(7, /nothing was sent there/),
  ],
]

const SECOND_PAGES: readonly Row[] = [
  ['list', 'a sign-in page as the second page', second(text(200, '<html><title>Sign in')), begins([ADA], FAILED)],
  ['list', '404 as the second page', second(json(404, {})), begins([ADA], FAILED, 6)],
  ['list', 'an empty object as the second page', second(json(200, {})), begins([ADA], FAILED)],
  ['list', 'null as the second page', second(json(200, null)), begins([ADA], FAILED)],
  ['list', 'truncated JSON as the second page', second(text(200, '{"data":[{"id":"con_')), begins([ADA], FAILED)],
  [
    'list',
    'the first page as the second page',
    second(listed([ADA], { next_cursor: 'c', has_more: true })),
    begins([ADA], SAME_PAGE),
  ],
  ['list', 'records and something else as the second page', second(listed([BOB, 7])), begins([ADA], NO_RECORD)],
]

const TOTALS: readonly Row[] = [
  [
    'list',
    'a total above its records',
    listed([ADA], { total: 3 }),
    begins([ADA], /total states 3 records, but the list has 1/),
  ],
  ['list', 'a total below its records', listed([ADA, BOB], { total: 1 }), shows([ADA, BOB])],
  ['list', 'a negative total', listed([ADA, BOB], { total: -1 }), shows([ADA, BOB])],
  ['list', 'a total in words', listed([ADA, BOB], { total: 'many' }), shows([ADA, BOB])],
  [
    'list',
    'a total that shrinks with an empty page',
    (response, { request }) =>
      void response.end(
        JSON.stringify(
          request.path.includes('cursor=')
            ? page([], { total: 0 })
            : page([ADA], { next_cursor: 'b', has_more: true, total: 5 }),
        ),
      ),
    begins([ADA], /total states 5 records, but the list has 1/),
  ],
]

const ITEMS: readonly Row[] = [
  ['list', 'numbers in place of records', listed([1, 2]), refused(7, NO_RECORD)],
  ['list', 'a record and null', listed([ADA, null]), refused(7, NO_RECORD)],
  ['list', 'a list in a list', listed([[ADA]]), refused(7, NO_RECORD)],
  [
    'list',
    'an object that looks like a list',
    listed({ 0: ADA, length: 1 }),
    refused(7, /expected a list, got an object with data/),
  ],
  ['list', 'a text in place of the list', listed('con_1'), refused(7, /expected a list, got an object with data/)],
]

export const PAGES: readonly Row[] = [...CURSORS, ...SECOND_PAGES, ...TOTALS, ...ITEMS]
