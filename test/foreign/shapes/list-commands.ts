import { contactsOf } from '../run-shape.ts'
import type { Answered, Asked, CommandShape } from '../shape.ts'
import { numberIn, pageAt, sliceAt } from './slice.ts'

/** Answers with no record, and refusals. */
const WITHOUT_RECORDS: readonly (readonly [name: string, answer: Answered, right: CommandShape['right']])[] = [
  ['data: null', { json: { data: null } }, { exit: 0, stdout: '' }],
  ['204', { status: 204 }, { exit: 0, stdout: '' }],
  [
    'success: false',
    { json: { success: false, data: [] } },
    { exit: 7, stdout: '', stderr: /refuses within its answer/ },
  ],
  ['an error', { json: { error: 'no scope', data: [] } }, { exit: 7, stdout: '', stderr: /no scope/ }],
]

export const LIST_COMMANDS: readonly CommandShape[] = [
  ...WITHOUT_RECORDS.map(
    ([name, answer, right]): CommandShape => ({
      name: `a list answered with ${name}`,
      argv: ['contacts', 'list', '-o', 'id'],
      answer: () => answer,
      right: { ...right, writes: 0 },
    }),
  ),
  {
    name: 'a list that --limit ended is not judged',
    argv: ['contacts', 'list', '--limit', '2', '-o', 'id'],
    answer: ({ path }) =>
      path === '/v1/contacts'
        ? { json: { data: [{ id: 'con_1' }, { id: 'con_2' }, { id: 'con_3' }], total: 3000 } }
        : { status: 404, json: {} },
    right: { exit: 0, stdout: 'con_1\ncon_2\n', writes: 0 },
  },
  {
    name: 'a filter that the server does not know names the nearest that it does, and no size',
    argv: ['deals', 'list', '--filter', 'stag=Won'],
    answer: ({ query }) =>
      query.has('stag')
        ? { status: 400, json: { detail: 'unknown parameter stag: expected one of cursor, limit, stage' } }
        : { json: { data: [] } },
    right: { exit: 7, stderr: /^(?![\s\S]*page_size)[\s\S]*did you mean stage\?/ },
  },
  {
    name: 'a size that is refused names no status as one',
    argv: ['contacts', 'list'],
    answer: () => ({ status: 400, json: { detail: 'limit is too large' } }),
    settings: { 'wire.page_size': '500' },
    right: { exit: 7, stderr: /^(?![\s\S]*page_size)[\s\S]*crm doctor/ },
  },
  {
    name: 'has_more and ?page=: a list that --limit ended goes on at the next page',
    argv: ['contacts', 'list', '--limit', '4', '-o', 'id'],
    answer: inPagesOfTwo,
    right: { exit: 0, stdout: 'con_1\ncon_2\ncon_3\ncon_4\n', stderr: /--cursor '\?\/v1\/contacts\?.*page=3'/ },
  },
  {
    name: 'wire.paging offset in a parameter of its own: the list goes on from its middle to its end',
    argv: ['contacts', 'list', '--cursor', '?/v1/contacts?limit=100&versatz=5', '-o', 'id'],
    answer: (asked) => ({ json: sliceAt(contactsOf(45), numberIn(asked, 'versatz', 0), 20).items }),
    settings: { 'wire.paging': 'offset', 'wire.cursor_param': 'versatz' },
    right: { exit: 0, stdout: /^con_6\n(?:con_\d+\n){38}con_45\n$/ },
  },
  {
    name: '--cursor on a server that does not read it is an error that names it',
    argv: ['contacts', 'list', '--cursor', 'garbage', '-o', 'id'],
    answer: () => ({ json: { data: contactsOf(7), has_more: false } }),
    right: { exit: 2, stdout: '', stderr: /--cursor "garbage" has no effect: the server answers with the first page/ },
  },
  {
    name: '--cursor behind which the server sends nothing never means that there are no contacts',
    argv: ['contacts', 'list', '--cursor', 'garbage', '-o', 'id'],
    answer: ({ query }) => ({ json: { data: query.has('cursor') ? [] : contactsOf(7), next_cursor: null } }),
    right: {
      exit: 0,
      stdout: '',
      stderr:
        /^No contacts follow this cursor, or the server does not know it; from the start: crm contacts list -o id$/m,
    },
  },
  {
    name: 'has_more and ?after=: the cursor that --limit printed leads on when it is typed',
    argv: ['contacts', 'list', '--cursor', '?starting_after=con_4', '-o', 'id'],
    answer: ({ query }) => {
      const from = Number(query.get('after')?.replace('con_', '') ?? 0)
      return { json: { data: contactsOf(7).slice(from, from + 2), has_more: from + 2 < 7 } }
    },
    right: { exit: 0, stdout: 'con_5\ncon_6\ncon_7\n' },
  },
  {
    name: 'a next page that is 404 is named, and is not an empty list',
    argv: ['contacts', 'list', '-o', 'id'],
    answer: ({ path }) =>
      path === '/v1/contacts'
        ? { json: { data: contactsOf(2), next: '/api/v3/contacts?next=2' } }
        : { status: 404, json: { message: 'Not Found' } },
    right: {
      exit: 6,
      stderr:
        /cannot list contacts: the next page, \/api\/v3\/contacts\?next=2, failed: Not Found \(404\)\n {2}crm doctor shows/,
    },
  },
  {
    name: '--cursor that leads to another page is not in doubt',
    argv: ['contacts', 'list', '--cursor', '2', '-o', 'id'],
    answer: (asked) => ({ json: { data: contactsOf(7).slice(numberIn(asked, 'cursor', 0)), has_more: false } }),
    right: { exit: 0, stdout: /^con_3\n(?:con_\d\n){4}$/ },
  },
  {
    name: '--cursor that names the first page by its number is the first page',
    argv: ['contacts', 'list', '--cursor', '?page=1', '-o', 'id'],
    answer: () => ({ json: { data: contactsOf(7), has_more: false } }),
    right: { exit: 0, stdout: /^con_1\n/ },
  },
  {
    name: '--cursor needs no further request if the answer names a previous page',
    argv: ['contacts', 'list', '--cursor', 'abc', '-o', 'id'],
    answer: ({ nth }) =>
      nth === 1
        ? { json: { results: contactsOf(2), next: null, previous: '/v1/contacts' } }
        : { status: 500, json: {} },
    right: { exit: 0, stdout: 'con_1\ncon_2\n' },
  },
  {
    name: 'a first page that is 404 (Dolibarr) is an error whose hint names an empty list',
    argv: ['contacts', 'list'],
    answer: () => ({ status: 404, json: { error: { code: 404, message: 'Not Found: No contact found' } } }),
    right: { exit: 6, stderr: /No contact found \(404\)\n {2}some servers answer 404 for an empty list; crm doctor/ },
  },
  {
    name: 'records by the keys of Firebase have these as ids',
    argv: ['contacts', 'list', '-o', 'id'],
    answer: () => ({
      json: { '-NxYz0123456789abcde': { name: 'Ada' }, '-NxYz0123456789abcdf': { name: 'Grace' } },
    }),
    right: { exit: 0, stdout: '-NxYz0123456789abcde\n-NxYz0123456789abcdf\n' },
  },
  {
    name: '-o id of records that have only _id names it, and the line that prints it',
    argv: ['contacts', 'list', '-o', 'id'],
    answer: () => ({ json: [{ _id: 'a1' }, { _id: 'a2' }] }),
    right: { exit: 7, stderr: /no id that fits on one line, but _id: .*\n {2}print _id: -o jsonl --jq '\.\["_id"\]'/ },
  },
  {
    name: 'a record of Elasticsearch without an id of its own has the _id of its hit',
    argv: ['contacts', 'list', '-o', 'jsonl'],
    answer: () => ({ json: { hits: { total: { value: 1 }, hits: [{ _id: 'a1', _source: { name: 'Ada' } }] } } }),
    right: { exit: 0, stdout: '{"_id":"a1","name":"Ada"}\n' },
  },
  {
    name: 'numbers, lists and objects of DynamoDB are values',
    argv: ['contacts', 'list', '-o', 'jsonl'],
    answer: () => ({
      json: {
        Items: [
          { id: { S: 'c1' }, age: { N: '5' }, at: { NULL: true }, tags: { L: [{ S: 'a' }] }, is: { BOOL: false } },
        ],
        Count: 1,
      },
    }),
    right: { exit: 0, stdout: '{"id":"c1","age":5,"at":null,"tags":["a"],"is":false}\n' },
  },
  {
    name: 'has_more and ?page=: the list goes on from a page in its middle, and not from its start',
    argv: ['contacts', 'list', '--cursor', '?/v1/contacts?page=2', '-o', 'id'],
    answer: inPagesOfTwo,
    right: { exit: 0, stdout: 'con_3\ncon_4\ncon_5\n' },
  },
]

function limited(name: string, answer: (asked: Asked) => Answered, note: RegExp | string): CommandShape {
  const full = (asked: Asked) => (asked.path === '/v1/contacts' ? answer(asked) : { status: 404, json: {} })
  return {
    name,
    argv: ['contacts', 'list', '--limit', '20', '-o', 'id'],
    answer: full,
    right: { exit: 0, stderr: note },
  }
}

/** Keap: a next page is named behind every page, and the count is that of the whole list. */
function alwaysNext(holds: number): (asked: Asked) => Answered {
  return ({ path, origin, query }) => {
    if (path !== '/v1/contacts') return { status: 404, json: {} }
    const [from, size] = [numberIn({ query }, 'offset', 0), numberIn({ query }, 'limit', 50)]
    const next = `${origin}/v1/contacts?limit=${size}&offset=${from + size}`
    return { json: { contacts: contactsOf(holds).slice(from, from + size), count: holds, next } }
  }
}

const first = (asked: Asked) => contactsOf(237).slice(0, numberIn(asked, 'limit', 50))
const MAY_BE_MORE = /^The first 20; there may be more: crm contacts list .*--limit 40\n$/
const ARE_MORE = /^The first 20; there are more: crm contacts list .*--limit 40\n$/

/** What a list that --limit ended says of the records behind it, where the server names no next page. */
export const LIMITED: readonly CommandShape[] = [
  limited(
    'a Content-Range without a total: there may be more',
    (asked) => ({ json: first(asked), headers: { 'content-range': '0-19/*' } }),
    MAY_BE_MORE,
  ),
  limited(
    'a Content-Range with a total: there are more',
    (asked) => ({ json: first(asked), headers: { 'content-range': '0-19/237' } }),
    ARE_MORE,
  ),
  limited(
    'meta.filter_count (Directus): there are more',
    (asked) => ({ json: { data: first(asked), meta: { filter_count: 237 } } }),
    ARE_MORE,
  ),
  limited('a bare array (Trello): there may be more', (asked) => ({ json: first(asked) }), MAY_BE_MORE),
  limited(
    '_links.next (Confluence): there are more, and it leads to them',
    (asked) => ({ json: { results: first(asked), _links: { next: '/v1/contacts?limit=20&start=20' } } }),
    /^The first 20; there are more: .*--cursor '\?\/v1\/contacts\?limit=20&start=20'\n$/,
  ),
  limited(
    'a total that may be the length of the page: there may be more',
    () => ({ json: { data: contactsOf(20), total: 20 } }),
    MAY_BE_MORE,
  ),
  {
    name: 'a next page behind every page (Keap), and as many records as all pages count: no note',
    argv: ['contacts', 'list', '--limit', '237', '-o', 'id'],
    answer: alwaysNext(237),
    right: { exit: 0, stderr: '' },
  },
  {
    name: 'a next page behind every page (Keap), and fewer records than all pages count: there are more',
    argv: ['contacts', 'list', '--limit', '200', '-o', 'id'],
    answer: alwaysNext(237),
    right: { exit: 0, stderr: /^The first 200; there are more: .*offset=200'\n$/ },
  },
  {
    name: 'a next page behind every page (Keap), and a count that may be where the server stops counting: there may be more',
    argv: ['contacts', 'list', '--limit', '1000', '-o', 'id'],
    answer: alwaysNext(1000),
    right: { exit: 0, stderr: /^The first 1000; there may be more: .*offset=1000'\n$/ },
  },
  limited(
    'a next page, and a count that may be the length of the page: there may be more',
    alwaysNext(20),
    /^The first 20; there may be more: .*offset=20'\n$/,
  ),
  limited('has_more that is false: no note', () => ({ json: { data: contactsOf(20), has_more: false } }), ''),
  limited('fewer records than the limit: no note', () => ({ json: { data: contactsOf(7) } }), ''),
  {
    name: '--where that has found as many as --limit: there may be more',
    argv: ['contacts', 'list', '--where', '.id != "con_1"', '--limit', '99', '-o', 'id'],
    answer: (asked) => (asked.path === '/v1/contacts' ? { json: first(asked) } : { status: 404, json: {} }),
    right: { exit: 0, stderr: /^The first 99; there may be more: crm contacts list .*--limit 198\n$/ },
  },
  {
    name: 'wire.paging link: without a link the list ends, and no note is printed',
    argv: ['contacts', 'list', '--limit', '20', '-o', 'id'],
    answer: (asked) => (asked.path === '/v1/contacts' ? { json: first(asked) } : { status: 404, json: {} }),
    settings: { 'wire.paging': 'link' },
    right: { exit: 0, stderr: '' },
  },
]

function inPagesOfTwo({ path, query }: Asked): Answered {
  if (path !== '/v1/contacts') return { status: 404, json: {} }
  const { items, next } = pageAt(contactsOf(5), numberIn({ query }, 'page', 1), 2)
  return { json: { data: items, has_more: next !== undefined } }
}
