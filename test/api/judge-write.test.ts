import { expect, test } from 'vitest'
import { type AskedWrite, judgeWrite } from '../../src/api/writes/judge-write.ts'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'

const SENT: JsonObject = { name: 'Ada', email: 'Ada@example.com', status: 'active' }

type Fate = 'done' | 'refused' | 'in doubt'
interface Shape {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly json?: JsonValue
  readonly isPlaced?: true
  readonly id?: string | undefined
}

function judged(kind: AskedWrite['kind'], { status = 200, headers = {}, json, ...place }: Shape) {
  const id = kind === 'create' ? undefined : 'con_1'
  return judgeWrite(
    { status, headers, json, ...place },
    { kind, sent: () => (kind === 'delete' ? undefined : SENT), id, path: '/v1/contacts' },
  )
}

const CREATES: readonly (readonly [claim: string, Fate, Shape])[] = [
  ['a record with an id', 'done', { json: { id: 7 }, id: '7' }],
  ['a record in data', 'done', { json: { success: true, data: { id: 'c' } }, id: 'c' }],
  ['a record below its own name', 'done', { json: { contact: { id: 7 } }, id: '7' }],
  ['a list of one record', 'done', { json: [{ id: 7 }], id: '7' }],
  ['a list of one record in data', 'done', { json: { data: [{ id: 7 }] }, id: '7' }],
  ['an id of another name', 'done', { json: { contact_id: 7 }, id: '7' }],
  ['an id of MongoDB', 'done', { json: { _id: { $oid: '5f' } }, id: '5f' }],
  ['a record of JSON:API', 'done', { json: { data: { type: 'contacts', id: '1', attributes: {} } }, id: '1' }],
  ['a record of OData', 'done', { json: { d: { Id: '003' } }, id: '003' }],
  ['a record of Salesforce', 'done', { json: { id: '001D', errors: [], success: true }, id: '001D' }],
  [
    'a record of Zoho',
    'done',
    {
      status: 201,
      json: { data: [{ code: 'SUCCESS', details: { id: '5' }, message: 'record added', status: 'success' }] },
      id: '5',
    },
  ],
  ['a record whose status is error', 'done', { json: { id: 1, name: 'Ada', status: 'error' }, id: '1' }],
  ['a record whose success is false', 'done', { json: { id: 1, name: 'Ada', success: false }, id: '1' }],
  ['a record in data whose status is failed', 'done', { json: { data: { id: 1, name: 'Ada', status: 'failed' } } }],
  ['what was sent, and no id', 'done', { json: { name: 'Ada' } }],
  ['what was sent, as the server writes it', 'done', { json: { email: 'ada@example.com', ok: false } }],
  [
    'a record around which success is false, with what was sent',
    'in doubt',
    { json: { success: false, data: { id: 1, name: 'Ada' } } },
  ],
  ['a pending record where the connector says', 'done', { json: { id: 1, status: 'pending' }, isPlaced: true }],
  [
    'another record where the connector says',
    'in doubt',
    { json: { id: 1, name: 'Bob', email: 'b@x.test', status: 'new' }, isPlaced: true },
  ],
  ['a record beside a null error', 'done', { json: { error: null, id: 1 } }],
  ['201 with Location and no body', 'done', { status: 201, headers: { location: '/v1/contacts/con_9' }, id: 'con_9' }],
  [
    '201 with a whole address',
    'done',
    { status: 201, headers: { location: 'https://a.test/api/contacts/a%20b/' }, id: 'a b' },
  ],
  ['204 of OData', 'done', { status: 204, headers: { 'odata-entityid': "https://a.test/contacts('x')" }, id: 'x' }],
  ['201 with an address below another list', 'done', { status: 201, headers: { location: '/people/9' }, id: '9' }],
  ['201 with the address of a page', 'in doubt', { status: 201, headers: { location: '/login' } }],
  ['a success around which nothing is wrong', 'done', { json: { id: 7, type: 'contact', status: 'active' }, id: '7' }],
  ['a status and no member', 'done', { json: { id: 7, status: 'open', state: 'CA' }, id: '7' }],
  ['what was sent, and a status that refuses', 'done', { json: { name: 'Ada', status: 'rejected' } }],
  [
    'what was sent below another status',
    'refused',
    { json: { status: 'error', message: 'taken', data: { name: 'Ada' } } },
  ],
  [
    'what was sent below success: false',
    'refused',
    { json: { success: false, message: 'taken', data: { name: 'Ada' } } },
  ],
  ['the problem of an id', 'refused', { json: { id: 'e1', type: 'error', message: 'Email is taken' } }],
  ['the problem of an id, with a title', 'in doubt', { json: { id: 'err_1', type: 'error', title: 'Email is taken' } }],
  ['the code of a problem', 'in doubt', { json: { id: 'err_1', code: 'VALIDATION', detail: 'Email is taken' } }],
  ['a request in error', 'refused', { json: { id: 'req_9', status: 'error', message: 'dup' } }],
  ['a request that was rejected', 'refused', { json: { id: 'req_9', status: 'rejected', reason: 'dup' } }],
  ['an id whose status is error', 'in doubt', { json: { id: 1, status: 'error' } }],
  ['a duplicate', 'in doubt', { json: { id: 'c1', duplicate: true, created: false } }],
  ['a job in a queue', 'in doubt', { json: { id: 'job_9', status: 'queued' } }],
  ['a job by its type', 'in doubt', { status: 201, json: { id: 'job_9', type: 'job', state: 'new' } }],
  ['a job of JSON:API', 'in doubt', { status: 201, json: { data: { type: 'jobs', id: '7', attributes: {} } } }],
  ['what is wrong with a member', 'in doubt', { json: { email: 'is already taken' } }],
  ['what is wrong with each member', 'in doubt', { json: { name: 'is required', email: 'is already taken' } }],
  ['the id 0', 'in doubt', { json: { id: 0 } }],
  ['the id -1', 'in doubt', { json: { id: '-1' } }],
  ['another record', 'in doubt', { json: { id: 'c1', name: 'Bob', email: 'b@x.test', status: 'new' } }],
  [
    'a record that shows some members otherwise',
    'done',
    { json: { id: 'c1', name: 'Bob', email: 'b@x.test' }, id: 'c1' },
  ],
  [
    'a part of 207 that is refused',
    'refused',
    { status: 207, json: { data: [{ name: 'Ada', status: 422, error: 'dup' }] } },
  ],
  ['201 with the address of the list', 'in doubt', { status: 201, headers: { location: '/v1/contacts/' } }],
  ['202 with the address of its progress', 'in doubt', { status: 202, headers: { location: '/jobs/7' } }],
  ['success: false', 'refused', { json: { success: false } }],
  ['success: false with an empty list', 'refused', { json: { success: false, data: [] } }],
  ['ok: false', 'refused', { json: { ok: false, error: 'email_taken' } }],
  ['status: error', 'refused', { json: { status: 'error' } }],
  ['status: VALIDATION_FAILED', 'refused', { json: { status: 'VALIDATION_FAILED', message: 'no' } }],
  ['statusCode 422', 'refused', { json: { statusCode: 422, message: ['email is taken'] } }],
  ['code 400 as text', 'refused', { json: { code: '400', msg: 'no' } }],
  ['an error', 'refused', { json: { error: { code: 'nope', id: 1 } } }],
  ['errors in data', 'refused', { json: { data: { errors: ['nope'] } } }],
  ['202 with a refusal of each record', 'refused', { status: 202, json: { data: [{ status: 'error' }] } }],
  [
    'a duplicate of Zoho, which names the other record',
    'refused',
    {
      json: {
        data: [
          {
            code: 'DUPLICATE_DATA',
            details: { api_name: 'Email', id: '5' },
            message: 'duplicate data',
            status: 'error',
          },
        ],
      },
    },
  ],
  [
    'a list of errors of Salesforce',
    'refused',
    {
      json: [
        { errorCode: 'A', message: 'a' },
        { errorCode: 'B', message: 'b' },
      ],
    },
  ],
  ['ok: true', 'in doubt', { json: { ok: true, request_id: 'r' } }],
  ['nothing', 'in doubt', { status: 201 }],
  ['204', 'in doubt', { status: 204 }],
  ['null', 'in doubt', { json: null }],
  ['an empty object', 'in doubt', { json: {} }],
  ['an empty list', 'in doubt', { json: [] }],
  ['two records', 'in doubt', { json: [{ id: 1 }, { id: 2 }] }],
  ['a job', 'in doubt', { status: 202, json: { job_id: 7, status: 'queued' } }],
  ['a job with an id', 'in doubt', { status: 202, json: { job: { id: 'j1', state: 'queued' } } }],
  ['a task with an id', 'in doubt', { json: { task: { id: 't1' } } }],
  ['202 with a request in data', 'in doubt', { status: 202, json: { data: { id: 'req-1', type: 'request' } } }],
  ['202 with an id alone', 'in doubt', { status: 202, json: { id: 't1', status: 'pending', href: '/jobs/t1' } }],
  ['202 with the record', 'done', { status: 202, json: { id: 7, name: 'Ada' }, id: '7' }],
  ['the status that was sent, and nothing else', 'in doubt', { json: { status: 'done' } }],
  ['faults by member', 'in doubt', { json: { email: ['already taken'] } }],
  ['an id around which success is false', 'in doubt', { json: { success: false, data: { id: 7 } } }],
  ['an id beside an error', 'in doubt', { json: { id: 7, error: 'index failed' } }],
  ['what was sent beside an error', 'in doubt', { json: { name: 'Ada', errors: { email: ['is taken'] } } }],
]

const UPDATES: readonly (readonly [claim: string, Fate, Shape])[] = [
  ['a record', 'done', { json: { id: 'con_1', name: 'Ada' }, id: 'con_1' }],
  ['204', 'done', { status: 204, id: 'con_1' }],
  ['a list of one record', 'done', { json: [{ id: 'con_1' }], id: 'con_1' }],
  ['another record', 'in doubt', { json: { id: 'other', name: 'Ada' } }],
  ['another record in data', 'in doubt', { json: { success: true, data: { id: 'other' } } }],
  ['202 with the id and no member', 'in doubt', { status: 202, json: { id: 'con_1', status: 'queued' } }],
  ['the id alone', 'done', { json: { id: 'con_1' } }],
  ['the number of its id', 'done', { json: { id: 1, name: 'Ada' } }],
  ['a number that may be that of a job', 'in doubt', { json: { id: 1 } }],
  ['a record whose status is its own', 'done', { json: { id: 'con_1', phone: '1', state: 'pending' } }],
  ['the status that was sent', 'done', { json: { id: 'con_1', status: 'active', result: 'noop' } }],
  ['a part of 207 that is refused', 'refused', { status: 207, json: { results: [{ id: 'con_1', status: 409 }] } }],
  ['a status from 400 on', 'refused', { json: { id: 'con_1', status: 423, message: 'locked' } }],
  ['success: false', 'refused', { json: { id: 'con_1', success: false, message: 'locked' } }],
  ['status: error', 'refused', { json: { id: 'con_1', status: 'error', message: 'locked' } }],
  [
    'the record as it was, and status: error',
    'refused',
    { json: { id: 'con_1', name: 'X', status: 'error', message: 'no' } },
  ],
  ['ok: false', 'in doubt', { json: { id: 'con_1', ok: false } }],
  ['updated: false', 'in doubt', { json: { id: 'con_1', updated: false } }],
  ['created: false', 'done', { json: { id: 'con_1', created: false } }],
  ['a noop', 'in doubt', { json: { id: 'con_1', result: 'noop' } }],
  ['skipped', 'refused', { json: { id: 'con_1', skipped: true, reason: 'locked' } }],
  ['what is wrong with a member', 'in doubt', { json: { name: 'too long' } }],
  ['a task', 'in doubt', { json: { task: { id: 'con_1' } } }],
  ['nothing', 'in doubt', {}],
  ['ok: true', 'done', { json: { ok: true }, id: 'con_1' }],
  ['202 and ok: true', 'in doubt', { status: 202, json: { ok: true } }],
  ['no record of PostgREST', 'in doubt', { json: [] }],
  ['status: fail', 'refused', { json: { status: 'fail', data: { email: 'is taken' } } }],
]

const DELETES: readonly (readonly [claim: string, Fate, Shape])[] = [
  ['204', 'done', { status: 204 }],
  ['nothing', 'done', {}],
  ['an empty object', 'done', { json: {} }],
  ['null', 'done', { json: null }],
  ['true', 'done', { json: true }],
  ['OK', 'done', { json: 'OK' }],
  ['success: true', 'done', { json: { success: true } }],
  ['the record', 'done', { json: { id: 'con_1', name: 'Ada', status: 'failed' } }],
  ['data: null', 'done', { json: { data: null } }],
  ['a part of 207 that is refused', 'refused', { status: 207, json: { results: [{ id: 'con_1', status: 423 }] } }],
  ['its id and success: false', 'refused', { json: { id: 'con_1', success: false, message: 'locked' } }],
  [
    'its id and an object that denies it',
    'in doubt',
    { json: { id: 'con_1', reasons: [{ message: 'cannot delete' }] } },
  ],
  ['its id and an object', 'done', { json: { id: 'con_1', details: { name: 'Ada', failed: 0 } } }],
  ['its id and a queue', 'in doubt', { json: { id: 'con_1', status: 'queued' } }],
  ['deleted: null', 'in doubt', { json: { deleted: null } }],
  ['success and a message of none', 'in doubt', { json: { success: true, message: '0 records deleted' } }],
  ['a message alone', 'in doubt', { json: { message: 'Contact deleted' } }],
  ['success and a message', 'done', { json: { success: true, message: 'Contact deleted' } }],
  ['success and a message that it is queued', 'in doubt', { json: { success: true, message: 'Deletion queued' } }],
  ['a permission that lacks', 'in doubt', { json: { message: 'You lack the permission to delete this record' } }],
  ['ok beside a job', 'in doubt', { json: { ok: true, job: 'x' } }],
  ['202 with a job', 'in doubt', { status: 202, json: { job: { id: 'j1' } } }],
  ['202 with the id of a job', 'in doubt', { status: 202, json: { id: 'j9', status: 'queued' } }],
  ['202 with the record unchanged', 'in doubt', { status: 202, json: { id: 'con_1', status: 'queued' } }],
  ['202 with the record, deleted', 'done', { status: 202, json: { id: 'con_1', deleted: true } }],
  ['another id', 'in doubt', { json: { id: 'j9' } }],
  ['a count', 'done', { json: { deletedCount: 1, acknowledged: true } }],
  ['a count of none', 'in doubt', { json: { deletedCount: 0, acknowledged: true } }],
  ['202', 'in doubt', { status: 202 }],
  ['another message', 'in doubt', { json: { message: 'Please log in' } }],
  ['a message that denies it', 'in doubt', { json: { message: 'Contact could not be deleted' } }],
  ['another text', 'in doubt', { json: 'Session expired' }],
  ['an empty list', 'in doubt', { json: [] }],
  ['success: false', 'refused', { json: { success: false } }],
  ['an error', 'refused', { json: { error: 'not allowed' } }],
  ['deleted: false', 'refused', { json: { id: 'con_1', deleted: false } }],
]

const ALL = [
  ...CREATES.map((one) => ['create', ...one] as const),
  ...UPDATES.map((one) => ['update', ...one] as const),
  ...DELETES.map((one) => ['delete', ...one] as const),
]

test.each(ALL)('a %s answered with %s is %s', (kind, _claim, is, shape) => {
  const outcome = judged(kind, shape)
  expect(outcome.type).toBe(is)
  if (shape.id !== undefined) expect(outcome).toMatchObject({ id: shape.id })
})

test.each([
  ['/v1/deals', { deal: { id: 'deal_1', name: 'Ada' }, stage: { id: 'won' } }, 'deal_1'],
  ['/v1/deals/', { pipeline: { id: 'sales' }, deals: [{ id: 'deal_1' }] }, 'deal_1'],
  ['/v1/deals/deal_1/notes', { deal: { id: 'deal_1' }, note: { id: 'note_1' } }, 'note_1'],
  ['/api/Opportunities', { Customer: { id: 1 }, Opportunity: { id: 2 } }, '2'],
])('of several records in the answer to a create at %s, the one that the path names is created', (path, json, id) => {
  const outcome = judgeWrite({ status: 201, headers: {}, json }, { kind: 'create', sent: () => SENT, path })
  expect(outcome).toMatchObject({ type: 'done', id })
})

test('of several records in an answer none is created if the path names none of them', () => {
  const json = { customer: { id: 1 }, comment: { id: 2 } }
  const outcome = judgeWrite(
    { status: 201, headers: {}, json },
    { kind: 'create', sent: () => SENT, path: '/v1/deals' },
  )
  expect(outcome.type).toBe('in doubt')
})
