import { expect, test } from 'vitest'
import { parseAnswer, parseJson } from '../../src/api/transport/answer.ts'
import { startServer } from './answering-server.ts'
import { ALL, allPages, failureOf, NO_KEY, openClient } from './client-fixture.ts'

const INEXACT = [
  '12345678901234567890',
  '-9007199254740993',
  '1e400',
  '1E-400',
  '-0',
  '-0.0',
  '1.0000000000000000001',
  '123456789.123456789012',
  '1.234567890123e-320',
]

test.each(INEXACT)('%s keeps its digits wherever it stands', (digits) => {
  for (const text of [`{"id":${digits}}`, `{"a": [1, ${digits}]}`, `[{\n"x":\n${digits}\n}]`]) {
    expect(JSON.stringify(parseJson(text))).toBe(text.replaceAll(/\s/g, ''))
  }
})

test.each(['0', '1200.50', '1e2', '9007199254740991', '1763650547123456', '0.30000000000000004'])(
  '%s is a number as it was',
  (digits) => {
    expect(parseJson(`{"n":${digits},"zero":0,"huge":1e99}`)).toEqual({ n: Number(digits), zero: 0, huge: 1e99 })
  },
)

test('what looks like a number in a text, or as a name, changes nothing', () => {
  const record = { id: '12345678901234567890', text: ' 12345678901234567890, 1e400 -0', '1e400': 0 }
  expect(parseJson(JSON.stringify(record))).toEqual(record)
})

test('a list is as deep as a list may be, and no deeper', () => {
  expect(parseAnswer(`${'['.repeat(1000)}${']'.repeat(1000)}`)).toHaveProperty('json')
  for (const depth of [1001, 50_000]) {
    expect(parseAnswer(`${'['.repeat(depth)}12345678901234567890${']'.repeat(depth)}`)).toEqual({ trouble: 'deep' })
  }
})

test('a record that is nested too deep is a bad answer, and no bug', async () => {
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
  const { url } = await startServer((response) => response.writeHead(200).end(`{"data":[${deep}],"next_cursor":null}`))
  const error = await failureOf(allPages(openClient(url).api.contacts.list(ALL)))
  expect(error.code).toBe('bad_answer')
  expect(error.message).toBe('cannot list contacts: the answer is nested more than 1000 levels deep')
})

test('an error that is nested too deep keeps its status', async () => {
  const deep = `{"errors":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`
  const { url } = await startServer((response) => response.writeHead(422).end(deep))
  expect((await failureOf(openClient(url).api.contacts.create({}, NO_KEY))).code).toBe('invalid_values')
})

test('what is nested too deep is not sent', async () => {
  const { url, seen } = await startServer((response) => response.writeHead(201).end('{}'))
  const fields = { a: JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) }
  expect((await failureOf(openClient(url).api.contacts.create(fields, NO_KEY))).code).toBe('invalid_input')
  expect(seen).toEqual([])
})

test('a cursor beyond the range of a double is sent back unchanged', async () => {
  const { url, seen } = await startServer((response, _request, nth) => {
    const bodies = ['"next_cursor":12345678901234567891', '"next_cursor":null,"has_more":false']
    response.writeHead(200).end(`{"data":[{"id":1234567890123456789${nth}}],${bodies[nth - 1]}}`)
  })
  await allPages(openClient(url).api.contacts.list(ALL))
  expect(seen.map(({ path }) => path.replace('/v1/contacts?limit=2', ''))).toEqual(['', '&cursor=12345678901234567891'])
})
