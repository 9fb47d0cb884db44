import { expect, test } from 'vitest'
import type { Answered, Asked } from '../foreign/shape.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { NOTHING, pagesAt, probed } from './probe-server.ts'

const PEOPLE = [1, 2, 3].map((n) => ({ id: `c${n}`, name: `Person ${n}`, email: `p${n}@example.com` }))
const LIST = pagesAt('/contacts', PEOPLE)
const KEY = 'a-key-that-no-text-shows-4711'
const ENV = { CRM_API_KEY: KEY }
const CONTACTS = ['--resource', 'contacts=/contacts', '--resource', 'deals=none']

type Carrier = (asked: Asked) => string | string[] | null | undefined

function keyed(carrier: Carrier, wanted = KEY) {
  return (asked: Asked): Answered =>
    carrier(asked) === wanted
      ? LIST(asked)
      : { status: 401, json: { message: `bad key ${String(carrier(asked))} ${KEY}` } }
}

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

const WAYS: readonly (readonly [string, Carrier, string, string])[] = [
  ['bearer', ({ headers }) => headers.authorization as string, `Bearer ${KEY}`, 'auth: { in: bearer }'],
  [
    'header:X-API-Key',
    ({ headers }) => headers['x-api-key'],
    KEY,
    "auth: { in: header, name: X-API-Key, value: '{key}' }",
  ],
  [
    'header:Authorization:Token',
    ({ headers }) => headers.authorization as string,
    `Token ${KEY}`,
    "auth: { in: header, name: Authorization, value: 'Token {key}' }",
  ],
  ['query:api_key', ({ query }) => query.get('api_key'), KEY, "auth: { in: query, name: api_key, value: '{key}' }"],
  [
    'basic',
    ({ headers }) => headers.authorization as string,
    basic(KEY, ''),
    "auth: { in: basic, user: '{key}', password: '' }",
  ],
  [
    'basic:me',
    ({ headers }) => headers.authorization as string,
    basic('me', KEY),
    "auth: { in: basic, user: me, password: '{key}' }",
  ],
]

test.each(WAYS)('a key is sent as %s, and is in no file and no message', async (auth, carrier, wanted, written) => {
  const { made, text, list } = await probed(keyed(carrier, wanted), [...CONTACTS, '--auth', auth, '--debug'], ENV)
  expect(made).toMatchObject({ exit: 0, stdout: '' })
  expect(text).toContain(written)
  expect(await list()).toMatchObject({ exit: 0, stdout: 'c1\nc2\nc3\n' })
  expect(made.stderr + text).not.toContain(KEY)
})

test('a key that is not accepted is exit 4, with the flag, and nothing is written', async () => {
  const { made, text } = await probed(
    keyed(({ headers }) => headers['x-api-key']),
    CONTACTS,
    ENV,
  )
  expect({ ...made, text }).toMatchObject({
    exit: 4,
    text: '',
    stderr: expect.stringContaining('--auth header:X-API-Key'),
  })
  expect(made.stderr).not.toContain(KEY)
})

test.each<readonly [string, Answered, number, string]>([
  ['a wrong path', NOTHING, 6, 'cannot read /contacts: there is nothing here (404)'],
  ['an HTML page', { text: '<!doctype html><title>Log in</title>' }, 7, 'HTML page instead of JSON: "Log in"'],
  ['an answer without a list', { json: { ok: true } }, 7, 'expected a list of records, got an object with ok'],
  ['a server that fails', { status: 500, json: {} }, 9, '(500)'],
])('%s is named, and nothing is written', async (_, answer, exit, message) => {
  const { made, text } = await probed(() => answer, CONTACTS)
  expect({ ...made, text }).toMatchObject({ exit, text: '', stderr: expect.stringContaining(message) })
  expect(made.stderr).not.toMatch(/\n\s+at /)
})

test('a list whose next page is on another origin is not followed', async () => {
  const other = await probed(LIST, CONTACTS)
  const count = other.seen.length
  const { made, text } = await probed(
    ({ path }) =>
      path === '/contacts' ? { json: { data: PEOPLE, next: `${other.origin}/contacts?page=2` } } : NOTHING,
    CONTACTS,
    ENV,
  )
  expect(other.seen).toHaveLength(count)
  expect(made).toMatchObject({ stderr: expect.stringContaining('and nothing that was tried leads to more records') })
  expect([3, 7]).toContain(made.exit)
  expect(text).not.toContain('by: none')
})

test('the address is https or of this machine, and there are one source and a key', async () => {
  const create = (flags: readonly string[]) => crm(['connectors', 'create', ...flags], emptyHome())
  expect(await create(['--probe', 'http://crm.example.com'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('plain http'),
  })
  expect(await create(['--probe', 'https://crm.example.com', '--openapi', 'x.json'])).toMatchObject({ exit: 2 })
  expect(await create([])).toMatchObject({ exit: 2, stderr: expect.stringContaining('--probe URL') })
  expect(await create(['--probe', 'http://127.0.0.1:1'])).toMatchObject({
    exit: 4,
    stderr: expect.stringContaining('--key-stdin'),
  })
  const badly = ['--probe', 'http://127.0.0.1:1', '--auth', 'cookie']
  expect(await create(badly)).toMatchObject({ exit: 2, stderr: expect.stringContaining('header:NAME') })
})
