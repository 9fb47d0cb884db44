import type { Answered, CommandShape } from '../shape.ts'
import { ADA, ROWS, serving, single, type WriteShape } from './write-shape.ts'

const redirect = (status: number, location: string): Answered => ({ status, headers: { location } })

/** What web frameworks answer to a write that they handled: to the record, to the list, to the start page. */
const HANDLED: readonly (readonly [name: string, answer: Answered])[] = [301, 302, 303].flatMap((status) =>
  ['/v1/contacts/con_1', '/v1/contacts', '/contacts', '/'].map(
    (location) => [`${status} to ${location}`, redirect(status, location)] as const,
  ),
)
const DOUBTFUL: readonly WriteShape[] = HANDLED.map(([name, answer]) => ({
  name,
  answer,
  right: { doubt: /redirects to \/.*; it is unknown whether the server applied it/ },
}))

/** To a login page, to another server, or with the same method: not handled. */
const NOT_HANDLED: readonly WriteShape[] = [
  ...['/login', '/users/sign_in?next=/v1/contacts', '/accounts/login/', '/auth/start', '/sso', '/login.php'].map(
    (location) => [302, location] as const,
  ),
  [301, 'https://elsewhere.example/api'] as const,
  [302, 'https://elsewhere.example/'] as const,
  ...[307, 308].map((status) => [status, '/v2/contacts'] as const),
].map(([status, location]) => ({
  name: `${status} to ${location}`,
  answer: redirect(status, location),
  right: { refused: /redirects to/ },
}))

const IMPORT = ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes'] as const
const DELETE_MANY = ['contacts', 'delete', '--from', '-', '--format', 'csv', '--run-id', 'one', '--yes'] as const

/** The first row is answered so, the second one as usual: the job goes on, and no row is sent twice. */
const REDIRECTED_JOBS: readonly CommandShape[] = HANDLED.flatMap(([name, answer]) => [
  {
    name: `an import whose first row is answered with ${name}, and made`,
    argv: IMPORT,
    stdin: `${ROWS}Bob,bob@example.com\n`,
    answer: creating(answer, true),
    connector: 'idempotency: { life: 1s }',
    right: { exit: 0, writes: 2 },
  },
  {
    name: `an import whose first row is answered with ${name}, and not made`,
    argv: IMPORT,
    stdin: `${ROWS}Bob,bob@example.com\n`,
    answer: creating(answer, false),
    connector: 'idempotency: { life: 1s }',
    right: { exit: 3, writes: 2, stderr: /1 in doubt/ },
  },
  {
    name: `a deletion of many answered with ${name}, and done`,
    argv: [...DELETE_MANY, '--expect', '1'],
    stdin: 'id\ncon_1\n',
    answer: deleting(answer),
    right: { exit: 0, writes: 1 },
  },
  {
    name: `an update of many answered with ${name}, and done`,
    argv: ['contacts', 'update', '--from', '-', '--format', 'csv', '--run-id', 'one', '--yes'],
    stdin: 'id,name\ncon_1,Ada\n',
    answer: updating(answer),
    right: { exit: 0, writes: 1 },
  },
])

/** The list still has the record as it was. */
const UNDONE_JOBS: readonly CommandShape[] = [
  {
    name: 'an update of many answered with 302, and not done',
    argv: ['contacts', 'update', '--from', '-', '--format', 'csv', '--run-id', 'one', '--yes'],
    stdin: 'id,name\ncon_1,Ada\n',
    answer: serving(redirect(302, '/contacts/con_1'), [{ ...ADA, name: 'Old' }]),
    right: { exit: 3, stderr: /in doubt/ },
  },
  {
    name: 'a deletion of many answered with 302, and not done',
    argv: [...DELETE_MANY, '--expect', '1'],
    stdin: 'id\ncon_1\n',
    answer: serving(redirect(302, '/contacts'), [ADA]),
    right: { exit: 3, stderr: /in doubt/ },
  },
]

/** The job stops at once, and what was not handled is sent again by `jobs resume`. */
const STOPPED_JOBS: readonly CommandShape[] = NOT_HANDLED.map(({ name, answer }) => ({
  name: `an import answered with ${name}`,
  argv: IMPORT,
  stdin: ROWS,
  answer: serving(answer, []),
  right: { exit: 7, writes: 1, stderr: /redirects to/ },
}))

function creating(first: Answered, isMade: boolean): CommandShape['answer'] {
  const made: object[] = []
  let posts = 0
  return ({ method, path, body }) => {
    if (path !== '/v1/contacts') return { status: 404, json: {} }
    if (method === 'GET') return { json: { data: made, next_cursor: null } }
    posts += 1
    const record = { ...JSON.parse(body), id: `con_${posts}`, created_at: new Date().toISOString() }
    if (posts > 1 || isMade) made.push(record)
    return posts > 1 ? { status: 201, json: record } : first
  }
}

function deleting(answer: Answered): CommandShape['answer'] {
  let listed: readonly object[] = [ADA, { ...ADA, id: 'con_2' }]
  return ({ method, path }) => {
    if (method === 'GET')
      return path === '/v1/contacts' ? { json: { data: listed, next_cursor: null } } : { status: 404 }
    listed = listed.slice(1)
    return answer
  }
}

function updating(answer: Answered): CommandShape['answer'] {
  let name = 'Old'
  return ({ method, path }) => {
    if (method === 'GET') {
      return path === '/v1/contacts' ? { json: { data: [{ ...ADA, name }], next_cursor: null } } : { status: 404 }
    }
    name = 'Ada'
    return answer
  }
}

export const WRITE_REDIRECTS: readonly CommandShape[] = [
  ...single(
    'create',
    ['--set', 'name=Ada', '--set', 'email=ada@example.com', '-o', 'id'],
    [...DOUBTFUL, ...NOT_HANDLED],
  ),
  ...single('update', ['con_1', '--set', 'name=Ada', '-o', 'id'], [...DOUBTFUL, ...NOT_HANDLED]),
  ...single('delete', ['con_1', '--yes'], [...DOUBTFUL, ...NOT_HANDLED]),
  ...REDIRECTED_JOBS,
  ...UNDONE_JOBS,
  ...STOPPED_JOBS,
]
