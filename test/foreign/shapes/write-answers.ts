import type { Answered, CommandShape } from '../shape.ts'
import { ADA, jobRightOf, ROWS, serving, single, type WriteShape } from './write-shape.ts'

const CREATES: readonly WriteShape[] = [
  { name: 'a record', answer: { status: 201, json: ADA }, right: { done: 'con_1' } },
  { name: 'a record in data', answer: { json: { success: true, data: ADA } }, right: { done: 'con_1' } },
  { name: 'a record below its name', answer: { json: { contact: ADA } }, right: { done: 'con_1' } },
  { name: 'an array of one record', answer: { status: 201, json: [ADA] }, right: { done: 'con_1' } },
  { name: 'a record whose status is error', answer: { json: { ...ADA, status: 'error' } }, right: { done: 'con_1' } },
  { name: 'a record whose success is false', answer: { json: { ...ADA, success: false } }, right: { done: 'con_1' } },
  {
    name: '201 with Location and no body',
    answer: { status: 201, headers: { location: '/v1/contacts/con_1' } },
    right: { done: 'con_1' },
  },
  {
    name: 'the success of Zoho',
    answer: {
      status: 201,
      json: { data: [{ code: 'SUCCESS', details: { id: 'con_1' }, message: 'record added', status: 'success' }] },
    },
    right: { done: 'con_1' },
  },
  {
    name: 'the success of Salesforce',
    answer: { status: 201, json: { id: 'con_1', success: true, errors: [] } },
    right: { done: 'con_1' },
  },
  {
    name: '200 with success: false',
    answer: { json: { success: false, message: 'email is taken' } },
    right: { refused: /email is taken/ },
  },
  { name: '200 with status: error', answer: { json: { status: 'error' } }, right: { refused: /"status":"error"/ } },
  {
    name: '200 with an error',
    answer: { json: { error: { message: 'quota is used up' } } },
    right: { refused: /quota is used up/ },
  },
  {
    name: '202 with a refusal in data',
    answer: { status: 202, json: { data: [{ status: 'error', message: 'no such owner' }] } },
    right: { refused: /no such owner/ },
  },
  { name: '200 with ok: true', answer: { json: { ok: true } }, right: { doubt: /neither a record nor a refusal/ } },
  {
    name: '201 with nothing',
    answer: { status: 201 },
    right: { doubt: /neither a record nor a refusal: it is empty/ },
  },
  { name: '202 with a job', answer: { status: 202, json: { job_id: 7 } }, right: { doubt: /"job_id":7/ } },
  {
    name: '200 with a page for people',
    answer: { headers: { 'content-type': 'text/html' }, text: '<html><title>Sign in</title></html>' },
    right: { doubt: /HTML page/ },
  },
  { name: '200 with half a document', answer: { text: '{"id":"con_' }, right: { doubt: /not JSON/ } },
]

/** The same around what a create, an update and a delete are answered with. */
const WRAPPED: readonly (readonly [name: string, wrap: (record: object) => Answered])[] = [
  ['a record in result', (record) => ({ json: { result: record } })],
  ['a record in result, beside ok', (record) => ({ json: { ok: true, result: record, error: null } })],
  ['a record in a list in result', (record) => ({ json: { result: [record], meta: { count: 1 } } })],
  ['a record in data.contact', (record) => ({ json: { data: { contact: record } } })],
  ['a record in result.data', (record) => ({ json: { status: 'ok', result: { data: record } } })],
  ['a record of JSON:API', (record) => ({ json: { data: ofJsonApi(record) } })],
  [
    'a record of JSON:API, with 202',
    (record) => ({ status: 202, json: { data: { ...ofJsonApi(record), deleted: true } } }),
  ],
  ['properties of HubSpot', ({ id, ...properties }: { id?: string }) => ({ json: { id, properties } })],
  [
    'records and fields of Airtable',
    ({ id, ...fields }: { id?: string }) => ({ json: { records: [{ id, fields, deleted: true }] } }),
  ],
  [
    'results of a batch of one, with its status',
    (record) => ({ status: 207, json: { results: [{ status: 200, ...record }] } }),
  ],
  [
    'results of a batch of one, with the record in it',
    (record) => ({ json: { hasErrors: false, results: [{ statusCode: 200, result: record }] } }),
  ],
  [
    'results of a batch of one, with the record in a body',
    (record) => ({ json: { results: [{ status: 200, body: record }] } }),
  ],
]

function ofJsonApi({ id, ...attributes }: { readonly id?: string }): object {
  return { type: 'contacts', id, attributes, links: { self: `/v1/contacts/${id}` } }
}

const AROUND: readonly WriteShape[] = WRAPPED.map(([name, wrap]) => ({
  name,
  answer: wrap(ADA),
  right: { done: 'con_1' },
}))

/** What says that it is done later, or done elsewhere, or not done: to each of the three. */
const NOT_YET: readonly WriteShape[] = [
  { name: 'a job_id', answer: { json: { job_id: 7 } }, right: { doubt: /"job_id":7/ } },
  {
    name: 'a jobId beside success',
    answer: { json: { success: true, jobId: 'j7' } },
    right: { doubt: /"jobId":"j7"/ },
  },
  { name: 'a job in data', answer: { status: 202, json: { data: { job: { id: 'j7' } } } }, right: { doubt: /"j7"/ } },
  {
    name: 'a job of JSON:API',
    answer: { status: 202, json: { data: { type: 'jobs', id: '7', attributes: { status: 'pending' } } } },
    right: { doubt: /"jobs"/ },
  },
  {
    name: 'a task in result',
    answer: { json: { result: { task_id: 't7', state: 'queued' } } },
    right: { doubt: /"t7"/ },
  },
  ...['queued', 'accepted', 'pending', 'scheduled', 'processing', 'in_progress'].map(
    (status): WriteShape => ({
      name: `202 with the id and ${status}`,
      answer: { status: 202, json: { id: 'con_1', status } },
      right: { doubt: new RegExp(`"status":"${status}"`) },
    }),
  ),
  {
    name: 'results of a batch of one that is refused',
    answer: { status: 207, json: { results: [{ status: 422, message: 'email is taken' }] } },
    right: { refused: /email is taken/ },
  },
  {
    name: 'results of a batch of one that is refused in a body',
    answer: { json: { results: [{ status: 422, body: { message: 'email is taken' } }] } },
    right: { refused: /email is taken/ },
  },
  {
    name: 'a result with its error',
    answer: { json: { result: { error: 'email is taken' } } },
    right: { refused: /email is taken/ },
  },
  {
    name: 'an error beside a result that is null',
    answer: { json: { result: null, error: { message: 'email is taken' } } },
    right: { refused: /email is taken/ },
  },
]

const UPDATES: readonly WriteShape[] = [
  { name: 'a record', answer: { json: ADA }, right: { done: 'con_1' } },
  { name: '204', answer: { status: 204 }, right: { done: 'con_1' } },
  { name: 'an array of one record', answer: { json: [ADA] }, right: { done: 'con_1' } },
  {
    name: '200 with success: false',
    answer: { json: { success: false, error: 'locked' } },
    right: { refused: /locked/ },
  },
  { name: '200 with nothing', answer: {}, right: { doubt: /it is empty/ } },
  { name: '200 with a count', answer: { json: { count: 0 } }, right: { doubt: /"count":0/ } },
]

const DELETES: readonly WriteShape[] = [
  { name: '204', answer: { status: 204 }, right: { done: '' } },
  { name: '200 with nothing', answer: {}, right: { done: '' } },
  { name: '200 with an empty object', answer: { json: {} }, right: { done: '' } },
  { name: '200 with OK', answer: { text: 'OK' }, right: { done: '' } },
  { name: '200 with the record', answer: { json: ADA }, right: { done: '' } },
  { name: '200 with data: null', answer: { json: { success: true, data: null } }, right: { done: '' } },
  {
    name: '200 with success: false',
    answer: { json: { success: false, error: 'locked' } },
    right: { refused: /locked/ },
  },
  { name: '200 with status: fail', answer: { json: { status: 'fail' } }, right: { refused: /"status":"fail"/ } },
  { name: '202 with nothing', answer: { status: 202 }, right: { doubt: /it is empty/ } },
  { name: '200 with deletedCount 0', answer: { json: { deletedCount: 0 } }, right: { doubt: /deletedCount/ } },
]

/** Updates of `name` to Ada and of `score` to 5. */
const OTHER_VALUES: readonly (readonly [name: string, record: object, stderr: string | RegExp])[] = [
  ['a value of its own form', { ...ADA, name: ' ADA', score: '5.0' }, ''],
  [
    'the record as it was',
    { ...ADA, name: 'Old', score: null },
    'The answer shows another value than was sent: name: sent "Ada", answered "Old"; score: sent 5, answered null\n',
  ],
  ['another value in data', { data: { ...ADA, score: 4 } }, /score: sent 5, answered 4/],
]

export const WRITE_ANSWERS: readonly CommandShape[] = [
  ...single(
    'create',
    ['--set', 'name=Ada', '--set', 'email=ada@example.com', '-o', 'id'],
    [...CREATES, ...AROUND, ...NOT_YET],
  ),
  ...single('update', ['con_1', '--set', 'name=Ada', '-o', 'id'], [...UPDATES, ...AROUND, ...NOT_YET]),
  ...single(
    'delete',
    ['con_1', '--yes'],
    [...DELETES, ...AROUND.map((shape) => ({ ...shape, right: { done: '' } })), ...NOT_YET],
  ),
  ...CREATES.filter(({ right }) => !('doubt' in right)).map(
    ({ name, answer, right }): CommandShape => ({
      name: `an import answered with ${name}`,
      argv: ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes'],
      stdin: ROWS,
      answer: serving(answer, []),
      right: jobRightOf(right),
    }),
  ),
  // What is in doubt is looked up: the record is there, and the row is done. It is never sent again.
  ...CREATES.filter(({ right }) => 'doubt' in right).map(
    ({ name, answer }): CommandShape => ({
      name: `an import answered with ${name}, of which the record is there`,
      argv: ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes'],
      stdin: ROWS,
      answer: serving(answer, [], [ADA]),
      settings: { 'wire.request_life': '1s' },
      right: { exit: 0, writes: 1 },
    }),
  ),
  ...DELETES.filter(({ right }) => !('doubt' in right)).map(
    ({ name, answer, right }): CommandShape => ({
      name: `a deletion of many answered with ${name}`,
      argv: ['contacts', 'delete', '--from', '-', '--format', 'csv', '--run-id', 'one', '--yes', '--expect', '1'],
      stdin: 'id\ncon_1\n',
      answer: serving(answer, [ADA]),
      right: jobRightOf(right),
    }),
  ),
  ...OTHER_VALUES.map(
    ([name, record, stderr]): CommandShape => ({
      name: `contacts update answered with ${name}`,
      argv: ['contacts', 'update', 'con_1', '--set', 'name=Ada', '--set', 'score:=5', '-o', 'id'],
      answer: serving({ json: record }, []),
      right: { exit: 0, stdout: 'con_1\n', stderr, writes: 1 },
    }),
  ),
]
