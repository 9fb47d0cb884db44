import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createClient } from '../../src/library/create-client.ts'
import { type Answering, sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

// The build sets it.
vi.stubGlobal('CRM_VERSION', '0.0.0')

const PEOPLE = [{ uid: 1 }, { uid: 2 }, { uid: 3 }]

const HEAD = 'connector: 2\nname: mine\nbase: /crm\nidempotency: none\n'
const AUTH = "auth: { in: header, name: X-API-Key, value: 'key {key}' }\n"
const COMMON =
  "variables: { team: { ask: Team } }\nheaders: { X-Version: '7' }\nquery: { team: '{team}' }\nerror: { message: problem.text }\n"
const REST = `paging: { by: cursor, param: after, next: found.after }
objects:
  contacts:
    path: /people
    verbs: { list: { items: 'found.people[]' }, create: { ok: { at: status, is: 0 }, gives: uid }, update: { ok: 201 } }
`

/** Two people a page; writes are answered with `written`. */
async function served(written: unknown = { status: 0 }, auth = AUTH) {
  const answer: Answering = (response, { method, path }) => {
    const { pathname, searchParams } = new URL(path, 'http://any')
    const after = Number(searchParams.get('after') ?? 0)
    if (method !== 'GET') return sendJson(response, 200, written)
    if (pathname !== '/crm/people') return sendJson(response, 404, { problem: { text: `nothing at ${pathname}` } })
    const people = PEOPLE.slice(after, after + 2)
    sendJson(response, 200, { found: { people, after: after === 0 ? 2 : null } })
  }
  const { url, seen } = await startServer(answer)
  const home = emptyHome()
  const file = join(home.HOME, 'mine.yaml')
  writeFileSync(file, HEAD + auth + COMMON + REST)
  const env = {
    ...home,
    ...{ CRM_BASE_URL: url.origin, CRM_API_KEY: 'sk-1', CRM_CONNECTOR: file, CRM_CONNECTOR_VARS: 'team=red' },
  }
  return { url, seen, file, api: (...argv: string[]) => crm(['api', ...argv], env) }
}

test('crm api has the base, the sign-in, the headers and the parameters of the connector', async () => {
  const { api, seen } = await served()
  expect((await api('/people')).exit).toBe(0)
  expect((await api('/people?team=blue', '-H', 'X-Version: 8')).exit).toBe(0)
  const [own, given] = seen
  expect([own?.path, own?.headers['x-version'], own?.headers['x-api-key'], own?.headers.authorization]).toEqual([
    ...['/crm/people?team=red', '7', 'key sk-1', undefined],
  ])
  expect([given?.path, given?.headers['x-version']]).toEqual(['/crm/people?team=blue', '8'])
})

test('--paginate reads a list as the connector does, and a refusal by its words', async () => {
  const { api, seen } = await served()
  const { stdout } = await api('/people', '--paginate', '-o', 'jsonl')
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(PEOPLE)
  expect(seen.map(({ path, headers }) => [path, headers['x-version']])).toEqual([
    ['/crm/people?team=red', '7'],
    ['/crm/people?team=red&after=2', '7'],
  ])
  const missing = await api('/nowhere')
  expect([missing.exit, missing.stderr]).toEqual([6, expect.stringContaining('nothing at /crm/nowhere (404)')])
})

test.each([
  ['POST', '/people', { success: false, message: 'locked' }, 'locked (200)'],
  ['POST', '/anything', { ok: false, message: 'locked' }, 'locked (200)'],
  ['POST', '/people', { status: 3 }, 'the answer (200) has not 0 at status, as a success has'],
  ['PATCH', '/people/1', { uid: 1 }, 'the answer (200) is no success, which has 201'],
])('%s %s that is answered with 200 and %j is refused', async (method, path, written, text) => {
  const { api, url, file } = await served(written)
  const { exit, stdout, stderr } = await api(method, path, '-f', 'name=Ada')
  expect([exit, JSON.parse(stdout), stderr]).toEqual([7, written, expect.stringContaining(text)])
  const connector = { connector: file, variables: { team: 'red' } }
  await using client = createClient({ baseUrl: url.origin, apiKey: 'sk-1', ...connector })
  const asked = client.request(method as 'POST', path, { body: { name: 'Ada' } })
  await expect(asked).rejects.toMatchObject({ message: expect.stringContaining(text), exit: 7 })
})

test('a write that is what the connector calls a success is one', async () => {
  const { api } = await served({ status: 0, uid: 4 })
  expect((await api('POST', '/people', '-f', 'name=Ada')).exit).toBe(0)
  expect((await api('POST', '/anything', '-f', 'name=Ada')).exit).toBe(0)
})

test.each([
  [AUTH, "crm/people?team=red' -H \"X-API-Key: key $CRM_API_KEY\" -H 'Accept: application/json' -H 'X-Version: 7'"],
  [
    "auth: { in: query, name: k, value: '{key}' }\n",
    "crm/people?team=red&k=$CRM_API_KEY\" -H 'Accept: application/json' -H 'X-Version: 7'",
  ],
  [
    "auth: { in: basic, user: 'a$b', password: '{key}' }\n",
    "crm/people?team=red' -u \"a\\$b:$CRM_API_KEY\" -H 'Accept: application/json' -H 'X-Version: 7'",
  ],
  [
    '',
    "crm/people?team=red' -H \"Authorization: Bearer $CRM_API_KEY\" -H 'Accept: application/json' -H 'X-Version: 7'",
  ],
])('--curl prints what would be sent with %s', async (auth, words) => {
  const { api, seen } = await served({}, auth)
  const { exit, stdout } = await api('/people', '--curl')
  expect([exit, stdout.trim().endsWith(words), stdout]).toEqual([0, true, expect.not.stringContaining('sk-1')])
  const { stdout: dry } = await api('/people', '--dry-run', '-o', 'json')
  expect(JSON.parse(dry)).toMatchObject({ headers: { 'X-Version': '7' }, url: expect.stringMatching(/team=red$/) })
  expect(seen).toEqual([])
})
