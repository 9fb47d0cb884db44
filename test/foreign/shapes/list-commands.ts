import type { CommandShape } from '../shape.ts'

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
]
