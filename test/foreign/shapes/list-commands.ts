import { contactsOf } from '../run-shape.ts'
import type { Answered, Asked, CommandShape } from '../shape.ts'
import { numberIn, pageAt } from './slice.ts'

export const LIST_COMMANDS: readonly CommandShape[] = [
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
    name: 'has_more and ?page=: the list goes on from a page in its middle, and not from its start',
    argv: ['contacts', 'list', '--cursor', '?/v1/contacts?page=2', '-o', 'id'],
    answer: inPagesOfTwo,
    right: { exit: 0, stdout: 'con_3\ncon_4\ncon_5\n' },
  },
]

function inPagesOfTwo({ path, query }: Asked): Answered {
  if (path !== '/v1/contacts') return { status: 404, json: {} }
  const { items, next } = pageAt(contactsOf(5), numberIn({ query }, 'page', 1), 2)
  return { json: { data: items, has_more: next !== undefined } }
}
