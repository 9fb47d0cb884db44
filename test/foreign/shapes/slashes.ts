import type { Answered, Asked, CommandShape } from '../shape.ts'

const ADA = { id: 'con_1', name: 'Ada', email: 'ada@example.com' }

/** Django REST framework as it comes: every path ends in a slash, and one without it is elsewhere for good. */
function django({ method, path, query, body, nth }: Asked): Answered {
  if (/graphql|openapi|swagger/.test(path)) return { status: 404, json: { detail: 'Not found.' } }
  const search = query.size === 0 ? '' : `?${query}`
  if (!path.endsWith('/')) return { status: 301, headers: { location: `${path}/${search}` } }
  if (method === 'DELETE') return { status: 204 }
  if (method === 'POST') return { status: 201, json: { ...ADA, ...JSON.parse(body), id: `con_${nth}` } }
  return { json: method === 'GET' ? { count: 1, next: null, previous: null, results: [ADA] } : ADA }
}

const shape = (argv: readonly string[], writes: number, more: Partial<CommandShape> = {}): CommandShape => ({
  name: `crm ${argv.join(' ')} works where every path ends in a slash`,
  argv,
  answer: django,
  right: { exit: 0, writes },
  ...more,
})

/** Each first write of a kind costs a redirect, where no read has shown it. */
export const SLASHES: readonly CommandShape[] = [
  shape(['contacts', 'list', '-o', 'id'], 0),
  shape(['contacts', 'create', '--set', 'name=Ada'], 2),
  shape(['contacts', 'update', 'con_1', '--set', 'name=Ada'], 2),
  shape(['contacts', 'delete', 'con_1', '--yes'], 2),
  shape(['deals', 'list', '-o', 'id'], 0),
  shape(['deals', 'create', '--set', 'name=Ada'], 2),
  shape(['notes', 'add', 'deal_1', '--body', 'x'], 2),
  shape(['pipelines', 'stages', 'pipe_1', '-o', 'id'], 0),
  shape(['webhooks', 'create', '--url', 'https://example.com/x', '--events', 'contact.created'], 2),
  shape(['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes'], 3, {
    stdin: 'name,email\nA,a@example.com\nB,b@example.com\nC,c@example.com\n',
  }),
]
