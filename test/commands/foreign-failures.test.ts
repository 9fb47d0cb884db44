import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer, startTcpServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { freePort } from '../harness/free-port.ts'
import { type Env, emptyHome, tempFolder } from '../harness/home.ts'
import { expectRefusal } from '../harness/refusal.ts'
import { newKey } from '../harness/service.ts'

const LIST = ['contacts', 'list', '--max-wait', '1s']
const CREATE = ['contacts', 'create', '--set', 'name=Ada', '--max-wait', '1s']

function envFor(url: URL): Env {
  return emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: newKey() })
}

test('a server that is down is exit 9, and named', async () => {
  const url = new URL(`http://127.0.0.1:${await freePort()}`)
  const refusal = {
    exit: 9,
    code: 'unreachable',
    what: new RegExp(`${url.host} refuses connections`),
    next: new RegExp(`^crm serve --port ${url.port}$`),
  }
  await expectRefusal({ args: LIST, env: envFor(url) }, refusal)
})

test('a server that resets in its body is 9, and a create is in doubt, which is 3', async () => {
  const url = await startTcpServer((socket) => {
    socket.once('data', () =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"data"', () => socket.resetAndDestroy()),
    )
  })
  const what = /closed the connection before its answer was complete/
  await expectRefusal(
    { args: LIST, env: envFor(url), isHurried: true },
    { exit: 9, code: 'unreachable', what, next: /^crm contacts list --max-wait 1s( -o json)?$/ },
  )
  const next = /^check before sending it again: crm contacts list/
  await expectRefusal({ args: CREATE, env: envFor(url), isHurried: true }, { exit: 3, code: 'in_doubt', what, next })
})

test.each([
  ['truncated JSON', '{"data":[{"id":"con_', /the answer is not JSON: \{"data":\[\{"id":"con_/, /^crm doctor/],
  ['HTML', '<!doctype html><title>Sign in</title>', /the server sent an HTML page instead of JSON/, /^crm doctor/],
  ['nothing', '', /expected a list at data\[\], got no JSON/, /^crm connectors check/],
])('a server that answers %s is 7, with the beginning of it', async (_what, body, what, next) => {
  const { url } = await startServer((response) => response.writeHead(200).end(body))
  await expectRefusal({ args: LIST, env: envFor(url) }, { exit: 7, code: 'bad_answer', what, next })
})

test('a server that refuses with 429 for longer than --max-wait is 8, with the time it asks for', async () => {
  const { url, seen } = await startServer((response) =>
    sendJson(response, 429, { message: 'slow down' }, { 'retry-after': '120' }),
  )
  const refusal = {
    exit: 8,
    code: 'rate_limited',
    what: /slow down \(429\)/,
    next: /^crm contacts list .*--max-wait 180s$/,
  }
  await expectRefusal({ args: LIST, env: envFor(url) }, refusal)
  expect(seen).toHaveLength(2)
})

test('the hint of a list that ends early continues after the last printed page', async () => {
  const { url } = await startServer((response, { path }) => {
    if (path.includes('cursor=two')) sendJson(response, 503, { message: 'not now', more: 'of it' })
    else sendJson(response, 200, { data: [{ id: 'con_1' }], next_cursor: 'two' })
  })
  const env = envFor(url)
  const list = await crm([...LIST, '-o', 'id'], env)
  expect(list).toMatchObject({ exit: 9, stdout: 'con_1\n' })
  expect(list.stderr).toMatch(/^crm: .*not now \(503\).*\n {2}crm contacts list --max-wait 1s -o id --cursor two\n$/)

  const raw = await crm(['api', 'GET', '/v1/things', '--paginate', '--max-wait', '1s', '-o', 'jsonl'], env)
  expect(raw).toMatchObject({ exit: 9, stdout: '{"id":"con_1"}\n' })
  const [body = '', error = ''] = raw.stderr.split('\n')
  expect(body).toBe('{"message":"not now","more":"of it"}')
  expect(JSON.parse(error).error).toMatchObject({ code: 'server_error', hint: expect.stringContaining('--cursor two') })
})

test('a server that repeats a page is 7, and is not asked on and on', async () => {
  const { url, seen } = await startServer((response) =>
    sendJson(response, 200, { data: [{ id: 'con_1' }], next_cursor: 'again' }),
  )
  const refusal = {
    exit: 7,
    code: 'bad_answer',
    what: /answers with records of an earlier page/,
    next: /^crm connectors check/,
  }
  await expectRefusal({ args: ['contacts', 'list', '--where', 'false'], env: envFor(url) }, refusal)
  expect(seen.length).toBeLessThan(5)
})

test('a redirect to another origin is 7, and neither key nor request arrives there', async () => {
  const elsewhere = await startServer((response) => sendJson(response, 200, []))
  const { url } = await startServer((response) =>
    response.writeHead(302, { location: `${elsewhere.url.origin}/v1/contacts` }).end(),
  )
  const what = new RegExp(
    `${url.origin} redirects to ${elsewhere.url.origin} \\(302\\), and redirects are never followed`,
  )
  await expectRefusal({ args: LIST, env: envFor(url) }, { exit: 7, code: 'rejected', what, next: /^crm doctor/ })
  expect(elsewhere.seen).toEqual([])
})

const LINKED = `connector: 2
name: linked
extends: contract
paging: { by: next_url, next: next }
`

test('a next page on another origin is 7 with both named, and neither key nor request arrives there', async () => {
  const elsewhere = await startServer((response) => sendJson(response, 200, []))
  const { url } = await startServer((response) =>
    sendJson(response, 200, { data: [{ id: 'con_1' }], next: `${elsewhere.url.origin}/v1/contacts?page=2` }),
  )
  const connector = join(tempFolder(), 'linked.yaml')
  writeFileSync(connector, LINKED)
  const what = new RegExp(`the next page, ${elsewhere.url.origin}/v1/contacts\\?page=2, is not on ${url.origin}`)
  await expectRefusal(
    { args: LIST, env: { ...envFor(url), CRM_CONNECTOR: connector } },
    { exit: 7, code: 'bad_answer', what, next: /^crm connectors check/ },
  )
  expect(elsewhere.seen).toEqual([])
})

test('a list in another place than the connector says is 7, with what compares the two', async () => {
  const people = [{ id: 'con_1' }]
  const { url } = await startServer((response) => sendJson(response, 200, { people, total: 900 }))
  const refusal = {
    exit: 7,
    code: 'bad_answer',
    what: /an object with people, total/,
    next: /^crm connectors check .*crm connectors create --probe/,
  }
  await expectRefusal({ args: LIST, env: envFor(url) }, refusal)
})

test('the wait in the hint of a 429 is one that --max-wait accepts, however long the server asks for', async () => {
  const { url } = await startServer((response) =>
    sendJson(response, 429, { message: 'later' }, { 'retry-after': '99999999999' }),
  )
  const env = envFor(url)
  const limited = await crm(LIST, env)
  expect(limited).toMatchObject({
    exit: 8,
    stderr: expect.stringContaining('\n  crm contacts list --max-wait 3153600000s\n'),
  })
  expect((await crm(['contacts', 'list', '--max-wait', '3153600000s', '--help'], env)).exit).toBe(0)
})

test('crm api takes a refusal in a 200 for one, and prints the answer', async () => {
  const body = { success: false, message: 'no scope', data: [], next_cursor: null }
  const { url } = await startServer((response) => sendJson(response, 200, body))
  const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'k_0123456789' })
  const one = await crm(['api', 'GET', '/v1/contacts'], env)
  expect(one).toMatchObject({ exit: 7, stdout: expect.stringContaining('"success":false') })
  expect(await crm(['api', 'GET', '/v1/contacts', '--paginate'], env)).toMatchObject({ exit: 7, stdout: '' })
})

test('a write that a 200 refuses names the check of the connector, and the other connector that it may need', async () => {
  const { url } = await startServer((response) =>
    sendJson(response, 200, { success: false, message: 'email is taken' }),
  )
  const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'key_of_the_test' })
  for (const verb of [['create'], ['update', 'c1']]) {
    const { exit, stderr } = await crm(['contacts', ...verb, '--set', 'name=Ada'], env)
    expect([exit, stderr]).toEqual([
      7,
      expect.stringMatching(
        /email is taken \(200\)\n {2}crm connectors check compares the connector .+ crm connectors create --probe http/,
      ),
    ])
  }
})
