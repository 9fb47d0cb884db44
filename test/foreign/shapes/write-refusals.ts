import type { Answered, CommandShape } from '../shape.ts'
import { ADA, jobRightOf, ROWS, serving, single, type WriteShape } from './write-shape.ts'

const { id, ...SENT } = ADA

const json = (body: object, status = 200): Answered => ({ status, json: body })
const refused = (name: string, body: object, text: RegExp, status = 200): WriteShape => ({
  name,
  answer: json(body, status),
  right: { refused: text },
})
const doubt = (name: string, body: object, text: RegExp, status = 200): WriteShape => ({
  name,
  answer: json(body, status),
  right: { doubt: text },
})

const CREATES: readonly WriteShape[] = [
  refused('success: false around what was sent', { success: false, message: 'taken', data: SENT }, /taken/),
  refused('status: error around what was sent', { status: 'error', message: 'taken', data: SENT }, /taken/),
  doubt('success: false around a record', { success: false, message: 'taken', data: ADA }, /taken/),
  refused('the id of a request in error', { id: 'req_9', status: 'error', message: 'dup' }, /dup/),
  refused('the id of a request that is rejected', { id: 'req_9', status: 'rejected', reason: 'dup' }, /dup/),
  doubt('the id of an error', { id: 'err_123', type: 'error', title: 'Email is taken' }, /Email is taken/),
  doubt('the id of a problem', { id: 'err_123', code: 'VALIDATION', detail: 'taken' }, /taken/),
  doubt('a duplicate', { id: 'c1', duplicate: true, created: false }, /duplicate/),
  doubt('the id of a job', { id: 'job_9', status: 'queued' }, /queued/),
  doubt('the id of a job, and its type', { id: 'job_9', type: 'job', state: 'pending' }, /pending/, 201),
  doubt('what is wrong with a member', { email: 'is already taken' }, /already taken/),
  doubt('what is wrong with two members', { name: 'is required', email: 'is already taken' }, /is required/),
  doubt('the id 0', { id: 0 }, /"id":0/),
  doubt('the id -1', { id: -1 }, /"id":-1/),
  doubt('another record', { id: 'con_7', name: 'Bob', email: 'b@x.test' }, /shows a different record/),
  {
    name: '201 with the address of a page',
    answer: { status: 201, headers: { location: '/login' } },
    right: { doubt: /it is empty/ },
  },
  { name: '303', answer: { status: 303, headers: { location: '/v1/contacts/con_1' } }, right: { doubt: /303/ } },
  { name: 'an id alone', answer: json({ id: 'con_1' }, 201), right: { done: 'con_1' } },
  { name: 'a name that was cut', answer: json({ id: 'con_1', name: 'Ad' }), right: { done: 'con_1' } },
]

const UPDATES: readonly WriteShape[] = [
  refused('a part that is refused', { results: [{ id, status: 409, message: 'conflict' }] }, /conflict/, 207),
  refused('207 and its id', { id, status: 423, message: 'locked' }, /locked/, 207),
  refused('its id and success: false', { id, success: false, message: 'locked' }, /locked/),
  refused('its id and status: error', { id, status: 'error', message: 'locked' }, /locked/),
  refused('its id and skipped', { id, skipped: true, reason: 'locked' }, /locked/),
  doubt('its id and ok: false', { id, ok: false }, /"ok":false/),
  doubt('its id and updated: false', { id, updated: false }, /"updated":false/),
  doubt('its id and a noop', { id, result: 'noop' }, /noop/),
  doubt('what is wrong with a member', { name: 'too long' }, /too long/),
  { name: 'its id alone', answer: json({ id }), right: { done: id } },
  { name: 'the number of its id', answer: json({ id: 1, name: 'Ada' }), right: { done: '1' } },
]

const DELETES: readonly WriteShape[] = [
  refused('a part that is refused', { results: [{ id, status: 423, message: 'locked' }] }, /locked/, 207),
  refused('its id and success: false', { id, success: false, message: 'locked' }, /locked/),
  doubt('a message that none was deleted', { success: true, message: '0 records deleted' }, /0 records/),
  doubt('deleted: null', { deleted: null }, /"deleted":null/),
]

export const WRITE_REFUSALS: readonly CommandShape[] = [
  ...single('create', ['--set', 'name=Ada', '--set', 'email=ada@example.com', '-o', 'id'], CREATES),
  ...single('update', [id, '--set', 'name=Ada', '-o', 'id'], UPDATES),
  ...single('delete', [id, '--yes'], DELETES),
  ...CREATES.filter(({ right }) => 'refused' in right).map(
    ({ name, answer, right }): CommandShape => ({
      name: `an import answered with ${name}`,
      argv: ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes'],
      stdin: ROWS,
      answer: serving(answer, []),
      right: jobRightOf(right),
    }),
  ),
  {
    name: 'an import answered with 303, of which the record is there',
    argv: ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes'],
    stdin: ROWS,
    answer: serving({ status: 303, headers: { location: '/v1/contacts/con_1' } }, [], [ADA]),
    settings: { 'wire.request_life': '1s' },
    right: { exit: 0, writes: 1 },
  },
  ...UPDATES.filter(({ right }) => 'refused' in right).map(
    ({ name, answer }): CommandShape => ({
      name: `an update of many answered with ${name}`,
      argv: ['contacts', 'update', '--from', '-', '--format', 'csv', '--run-id', 'one', '--yes'],
      stdin: `id,name\n${id},Ada\n`,
      answer: serving(answer, [{ ...ADA, name: 'Old' }]),
      right: { exit: 3, writes: 1, stderr: /locked|conflict/ },
    }),
  ),
  {
    name: 'contacts create answered with another name',
    argv: ['contacts', 'create', '--set', 'name=Ada', '--set', 'email=ada@example.com', '-o', 'id'],
    answer: serving(json({ ...ADA, name: 'Bob' }, 201), []),
    right: { exit: 0, stdout: 'con_1\n', stderr: /name: sent "Ada", answered "Bob"/, writes: 1 },
  },
  {
    name: 'an import of two rows answered with the same id',
    argv: ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes'],
    stdin: `${ROWS}Bob,b@x.test\n`,
    answer: serving(json({ id }, 201), []),
    settings: { 'wire.request_life': '1s' },
    right: { exit: 3, stderr: /1 in doubt/, writes: 2 },
  },
]
