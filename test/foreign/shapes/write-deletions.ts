import type { Answered, CommandShape } from '../shape.ts'
import { ADA, serving } from './write-shape.ts'

/** A deletion that is refused so while the list, which was read before, still has the record. */
const NOT_GONE: readonly Answered[] = [
  { status: 404, headers: { 'content-type': 'text/html' }, text: '<html><title>Not Found</title></html>' },
  { status: 404, json: { message: 'no route' } },
  { status: 410, json: { message: 'gone' } },
]

const DELETION_OF_MANY: readonly (readonly [words: string, stdin: string, argv: readonly string[]])[] = [
  ['a deletion of many', 'id\ncon_1\n', ['--from', '-', '--format', 'csv', '--run-id', 'one']],
  ['a deletion by --where', '', ['--where', 'true']],
]

const GONE_OR_NOT: readonly CommandShape[] = DELETION_OF_MANY.flatMap(([words, stdin, more]) => {
  const argv = ['contacts', 'delete', ...more, '--yes', '--expect', '1']
  return [
    ...NOT_GONE.map((answer): CommandShape => {
      const what = `${answer.status} ${answer.text ?? JSON.stringify(answer.json)}`
      const right = { exit: 3, writes: 1, stderr: /the list still has it/ }
      return {
        name: `${words} answered with ${what}, and still listed`,
        argv,
        stdin,
        answer: serving(answer, [ADA]),
        right,
      }
    }),
    ...[404, 410].map((status): CommandShape => {
      const answer = deletedBefore(status)
      return {
        name: `${words} answered with ${status}, and not listed`,
        argv,
        stdin,
        answer,
        right: { exit: 0, writes: 1 },
      }
    }),
    {
      name: `${words} answered with 404, and the list with 404 since`,
      argv,
      stdin,
      answer: deletedBefore(404, { status: 404, json: {} }),
      right: { exit: 3, writes: 1, stderr: /in doubt/ },
    },
  ]
})

/** Another one deletes it in the moment before; the list is answered with `list` then. */
function deletedBefore(
  status: number,
  list: Answered = { json: { data: [], next_cursor: null } },
): CommandShape['answer'] {
  let isDeleted = false
  return ({ method, path }) => {
    if (method === 'DELETE') isDeleted = true
    if (method === 'DELETE' || path !== '/v1/contacts') return { status, json: { message: 'not here' } }
    return isDeleted ? list : { json: { data: [ADA], next_cursor: null } }
  }
}

/** Deletions are put in a queue, which is worked off or is not. */
function queueing(isLater: boolean): CommandShape['answer'] {
  let listed: readonly object[] = [ADA]
  return ({ method, path }) => {
    if (method === 'DELETE') {
      if (isLater) listed = []
      return { status: 202, json: { id: 'con_1', status: 'queued' } }
    }
    if (path === '/v1/contacts') return { json: { data: listed, next_cursor: null } }
    return path === '/v1/contacts/con_1' && listed.length > 0 ? { json: ADA } : { status: 404, json: {} }
  }
}

/** Deletions by jobs, of records that are there or not. */
export const DELETIONS_OF_MANY: readonly CommandShape[] = [
  ...GONE_OR_NOT,
  ...[true, false].map(
    (isLater): CommandShape => ({
      name: `202 to many, ${isLater ? 'done' : 'not done'}: a deletion`,
      argv: ['contacts', 'delete', '--from', '-', '--format', 'csv', '--run-id', 'one', '--yes', '--expect', '1'],
      stdin: 'id\ncon_1\n',
      answer: queueing(isLater),
      connector: 'idempotency: { life: 1s }\nobjects: { contacts: { verbs: { get: {} } } }',
      right: isLater ? { exit: 0, writes: 1 } : { exit: 7, stderr: /the record is still there/ },
    }),
  ),
]
