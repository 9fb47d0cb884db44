import { expect, test } from 'vitest'
import { createConnector } from '../../../src/api/connectors/connector.ts'
import { openPrograms, programsOf } from '../../../src/api/connectors/field-program.ts'
import { loadConnector } from '../../../src/api/connectors/load-connector.ts'
import { createRecordMap } from '../../../src/api/connectors/record-map.ts'
import { type Answering, sendJson, startServer } from '../answering-server.ts'
import { allPages, failureOf, NO_KEY, openClient, WIRE } from '../client-fixture.ts'

function documentWith(field: string) {
  const deals = `{ path: /deals, id: id, list: { items: 'data[]', paging: none }, create: { record: data }, fields: { name: title, amount: ${field} } }`
  return loadConnector(`connector: 1\nname: made\nresources:\n  deals: ${deals}\n`, {
    fileName: 'made.yaml',
    baseOf: () => undefined,
  })
}

async function openWith(field: string, answer: Answering) {
  const { url, seen } = await startServer(answer)
  const document = documentWith(field)
  const run = await openPrograms(programsOf(document))
  const connector = createConnector(document, { baseUrl: url, variables: {} }, (described, names) =>
    createRecordMap(described, names, run),
  )
  const { api } = openClient(url, { connector, key: 'crm_key_of_the_test', wire: WIRE })
  return { api, seen }
}

const CENTS = '{ at: cents, type: number, jq: { read: ". / 100", write: ". * 100 | round" } }'

test('a program makes the shown value, and another one makes that of the server', async () => {
  const stored = { id: 'd1', title: 'Tea', cents: 1999 }
  const { api, seen } = await openWith(CENTS, (response, { method }) =>
    method === 'GET' ? sendJson(response, 200, { data: [stored] }) : sendJson(response, 201, { data: stored }),
  )
  const [page] = await allPages(api.deals.list())
  expect(page?.items).toMatchObject([{ id: 'd1', name: 'Tea', amount: 19.99 }])
  const made = await api.deals.create({ name: 'Tea', amount: 19.99 }, NO_KEY)
  expect(made).toMatchObject({ amount: 19.99 })
  expect(JSON.parse(seen.at(-1)?.body ?? '')).toEqual({ title: 'Tea', cents: 1999 })
})

test('a value that the server would keep otherwise is refused before it is sent', async () => {
  const { api, seen } = await openWith(CENTS, (response) => sendJson(response, 200, { data: [] }))
  const failure = await failureOf(api.deals.create({ name: 'Tea', amount: 0.001 }, NO_KEY))
  expect(failure.message).toContain('amount is 0.001, expected a value that the server keeps unchanged')
  expect(seen).toEqual([])
})

test('without a program that writes, a field is read only', async () => {
  const { api } = await openWith('{ at: cents, jq: { read: "length" } }', (response) =>
    sendJson(response, 200, { data: [{ id: 'd1', cents: [1, 2, 3] }] }),
  )
  expect((await allPages(api.deals.list()))[0]?.items).toMatchObject([{ amount: 3 }])
  const failure = await failureOf(api.deals.create({ name: 'Tea', amount: 3 }, NO_KEY))
  expect(failure.message).toContain('amount of a deal is read-only')
})

test('a value on which the program fails ends the list', async () => {
  const { api } = await openWith(CENTS, (response) => sendJson(response, 200, { data: [{ id: 'd1', cents: 'ten' }] }))
  const failure = await failureOf(allPages(api.deals.list()))
  expect(failure).toMatchObject({ code: 'bad_answer' })
  expect(failure.message).toContain('jq cannot read "ten" with . / 100')
})

test.each([
  ['$ENV.HOME', '$ENV is not offered'],
  ['env | keys', 'env is not offered'],
  ['input', 'input is not offered'],
  ['[inputs]', 'inputs is not offered'],
  ['debug', 'debug is not offered'],
  ['def f: f; f', 'def is not offered'],
  ['repeat(.)', 'repeat is not offered'],
  ['[range(1e9)]', 'range is not offered'],
  ['"\\(env.HOME)"', 'env is not offered'],
  ['import "a" as a; .', 'import is not offered'],
  ['.[] | .[] | .[] | .[]', 'has 4 loops'],
  ['(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)', 'has 9 commas'],
  [`${'['.repeat(21)}.${']'.repeat(21)}`, 'nested deeper'],
  [`. ${'+ 1 '.repeat(300)}`, 'has 1202 characters'],
])('the program %s is refused when the connector is loaded', (program, reason) => {
  const field = `{ at: cents, jq: { read: ${JSON.stringify(program)} } }`
  expect(() => documentWith(field)).toThrow(reason)
  expect(() => documentWith(field)).toThrow(/^made\.yaml:4:\d+: /)
})

test('a program that does not compile is an error before anything is sent', async () => {
  const document = documentWith('{ at: cents, jq: { read: ". +" } }')
  await expect(openPrograms(programsOf(document))).rejects.toThrow('. + is no program of jq 1.8')
})

test('a value longer than 64 KiB, and a program without a single result, have no value', async () => {
  const run = await openPrograms([])
  expect(run('.', 'x'.repeat(70_000))).toEqual({ reason: 'the value is longer than 64 KiB' })
  expect(run('empty', 1)).toEqual({ reason: 'it has no single result' })
  expect(run('.[]', [1, 2])).toEqual({ reason: 'it has no single result' })
  expect(run('.a', { a: { b: null } })).toEqual({ value: { b: null } })
})
