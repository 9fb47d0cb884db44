import { expect, test } from 'vitest'
import { readProblem } from '../../src/api/errors/problem.ts'
import { parseJson } from '../../src/api/transport/answer.ts'
import { PROBLEM_SHAPES } from './problem-shapes.ts'

function messageOf(body: unknown): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return readProblem(text, parseJson(text)).message
}

const SHAPES: readonly (readonly [name: string, body: unknown, message: string])[] = [
  ['RFC 9457', { type: 'about:blank', title: 'Bad', status: 400, detail: 'no such stage' }, 'no such stage'],
  [
    'RFC 9457 with places',
    {
      detail: '2 values are wrong',
      errors: [
        { pointer: '#/lines/0/amount', code: 'type', detail: 'must be a number' },
        { parameter: 'limit', detail: 'must be at most 500' },
      ],
    },
    '2 values are wrong: lines.0.amount: must be a number; limit: must be at most 500',
  ],
  ['RFC 9457 with a title alone', { title: 'Not Found', status: 404 }, 'Not Found'],
  ['RFC 6901 escapes', { errors: [{ pointer: '#/a~1b~0c', detail: 'is bad' }] }, 'a/b~c: is bad'],
  ['Stripe', { error: { type: 'x', code: 'y', message: 'is missing', param: 'amount' } }, 'amount: is missing'],
  [
    'HubSpot',
    { status: 'error', message: 'invalid input', category: 'V', correlationId: 'c', errors: [{ message: 'bad mail' }] },
    'invalid input: bad mail',
  ],
  ['Attio', { status_code: 404, type: 'x', code: 'not_found', message: 'no record' }, 'no record'],
  [
    'Salesforce',
    [{ errorCode: 'REQUIRED', message: 'fields are missing', fields: ['Name', 'Stage'] }],
    'Name, Stage: fields are missing',
  ],
  ['Pipedrive', { success: false, error: 'bad', error_info: 'see the manual' }, 'bad: see the manual'],
  ['a list of errors', { errors: [{ message: 'one' }, { message: 'two' }, { message: 'one' }] }, 'one; two'],
  ['a list of texts', { errors: ['one', 'two'] }, 'one; two'],
  [
    'errors by place',
    { message: 'invalid', errors: { name: ['is missing', 'is short'], mail: 'is bad' } },
    'invalid: name: is missing, is short; mail: is bad',
  ],
  ['JSON:API', { errors: [{ title: 'Bad', source: { pointer: '/data/name' } }] }, 'data.name: Bad'],
  ['OAuth', { error: 'invalid_token', error_description: 'it expired' }, 'invalid_token: it expired'],
  ['a message', { message: 'no' }, 'no'],
  ['a code alone', { code: 'nope' }, 'nope'],
  ['text', 'upstream\n  connect error', 'upstream connect error'],
  ['an HTML page', '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head></html>', '502 Bad Gateway'],
  ['an HTML page with entities', '<html><title>R&amp;D &lt;1&gt; &unknown;</title></html>', 'R&D <1> &unknown;'],
  ['an HTML page without a title', '<html><style>p{}</style><body><h1>No</h1> luck</body>', 'No luck'],
  ['nothing', '', ''],
  ['a JSON text', '"no"', '"no"'],
  ['shapes that do not fit', { error: 7, errors: 1, detail: [] }, '{"error":7,"errors":1,"detail":[]}'],
  ['null', 'null', 'null'],
]

test.each(SHAPES)('%s is understood', (_name, body, message) => {
  expect(messageOf(body)).toBe(message)
})

test.each(PROBLEM_SHAPES)('the errors of %s are shown with their fields', (_, body, message, field) => {
  const problem = readProblem(JSON.stringify(body), parseJson(JSON.stringify(body)))
  expect(problem).toMatchObject({ message, field })
})

test('a fault in the detail is not repeated', () => {
  expect(messageOf({ detail: 'stage: is unknown', errors: [{ pointer: '#/stage', detail: 'is unknown' }] })).toBe(
    'stage: is unknown',
  )
})

test('text is cut at 200 characters and a message at 500', () => {
  expect(messageOf('x'.repeat(300))).toHaveLength(200)
  expect(messageOf({ detail: 'x'.repeat(900) })).toHaveLength(500)
})

test('code and request id are found inside and outside of an error object', () => {
  const body = { error: { code: 'inner', message: 'm', request_id: 'req_1' } }
  expect(readProblem('', body)).toMatchObject({ code: 'inner', requestId: 'req_1' })
  expect(readProblem('', { code: 'outer', error: 'm', correlationId: 'c' })).toMatchObject({
    code: 'outer',
    requestId: 'c',
  })
})
