import { expect, test } from 'vitest'
import { sendJson } from '../api/answering-server.ts'
import { asked, connectedTo } from '../api/connectors/connected.ts'

const TERMS = { signal: new AbortController().signal, rateShare: 1 }

function connector(more: string, email = '{ at: mail, fold: case }'): string {
  return `objects: { contacts: { path: /people, verbs: { ${more} }, fields: { email: ${email} } } }`
}

const FIND =
  "find: { email: { path: '{object}/search', query: { mail: '{value}' }, lag: 1s, items: 'data[]', paging: { by: cursor, param: after, next: next } } }"

test('a search for a value is read to its end, and for the value in the form that the server compares', async () => {
  const { api, seen } = await connectedTo(connector(FIND), (response, request) => {
    const isFirst = asked(request, 'after') === null
    const data = isFirst ? [{ id: 1, mail: 'ada@x.test' }] : [{ id: 2, mail: 'Ada@x.test' }]
    sendJson(response, 200, { data, next: isFirst ? 'c2' : null })
  })
  const reader = await api.keyReader('contact', 'email')
  expect(reader?.size).toBe(1)
  const records = await reader?.read([' Ada@X.test', 'ada@x.test'], TERMS)
  expect(records).toMatchObject([{ id: '1', email: 'ada@x.test' }, { id: '2' }])
  expect(seen.map((request) => asked(request, 'mail'))).toEqual(Array(2).fill('ada@x.test'))
})

test.for([
  ['whose index has no known age', connector(FIND.replace(', lag: 1s', ''))],
  ['by a field that the server compares by case', connector(FIND, 'mail')],
  ['that gives ids alone', connector(FIND.replace('lag: 1s', 'lag: 1s, gives: id'))],
])('records are not asked for by a search %s', async ([, lines = '']) => {
  const { api, seen } = await connectedTo(lines, (response) => sendJson(response, 200, { data: [] }))
  expect(await api.keyReader('contact', 'email')).toBeUndefined()
  expect(seen).toEqual([])
})
