import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { run } from '../../../src/program.ts'
import { type Answering, sendJson, startServer } from '../../api/answering-server.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'
import { expectRefusal } from '../../harness/refusal.ts'
import {
  DEAL,
  documentWith,
  GONE,
  get,
  INTEGER,
  listOf,
  object,
  PAGED,
  PERSON,
  plainPaths,
  post,
  query,
  TEXT,
} from '../../probe/openapi/small-api.ts'

const CLEAR = documentWith({ ...plainPaths('/contacts', PERSON, ...PAGED), ...plainPaths('/deals', DEAL, ...PAGED) })
const OPEN = documentWith({ ...plainPaths('/contacts', PERSON, ...PAGED), ...plainPaths('/people', PERSON, ...PAGED) })

function fileOf(document: object): string {
  const file = join(tempFolder(), 'api.json')
  writeFileSync(file, JSON.stringify(document))
  return file
}

const CREATE = ['connectors', 'create', '--openapi']

test('create prints a draft, and what it found on stderr', async () => {
  const { exit, stdout, stderr } = await crm([...CREATE, fileOf(CLEAR)], emptyHome())
  expect({ exit, stdout }).toEqual({
    exit: 0,
    stdout: expect.stringMatching(/\nconnector: 2\nname: meadow\ndrafted: \d{4}-\d\d-\d\d\n/),
  })
  expect(stdout).toContain(
    '# Compare it with the server: crm auth login --connector FILE, then crm connectors check --write\n',
  )
  expect(stderr).toContain('contacts: /contacts (list, get, create, update, delete); fields name, email\n')
  expect(stderr).not.toContain('Decide')
})

test('open points are exit 3 after the draft is written, and are listed', async () => {
  const out = join(tempFolder(), 'my.yaml')
  const { exit, stdout, stderr } = await crm([...CREATE, fileOf(OPEN), '--out', out], emptyHome())
  expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' })
  expect(stderr).toContain('Decide: objects.contacts: the document also has /people')
  expect(stderr).toContain('Decide: objects: no path was found for deals')
  expect(stderr).toContain(
    `crm: the draft is written, but the document leaves 2 points open\n  grep -n decide: ${out}\n`,
  )
  expect(readFileSync(out, 'utf8').match(/# decide:/g)).toHaveLength(2)
})

test('--resource answers beforehand', async () => {
  const answers = ['--resource', 'contacts=/people', '--resource', 'deals=none', '--name', 'mine']
  const { exit, stdout } = await crm([...CREATE, fileOf(OPEN), ...answers], emptyHome())
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: expect.stringContaining('name: mine\n') })
  expect(stdout).toContain('path: /people\n')
})

test('a file that exists is replaced only with --yes', async () => {
  const out = join(tempFolder(), 'my.yaml')
  writeFileSync(out, 'mine')
  const command = [...CREATE, fileOf(CLEAR), '--out', out]
  const { exit, stderr } = await crm(command, emptyHome())
  expect({ exit, stderr }).toEqual({ exit: 11, stderr: expect.stringContaining(`${out} exists`) })
  expect(readFileSync(out, 'utf8')).toBe('mine')
  expect((await crm([...command, '--yes'], emptyHome())).exit).toBe(0)
  expect(readFileSync(out, 'utf8')).toContain('connector: 2')
})

test('a URL is fetched without a key, and redirects are followed', async () => {
  const { url, seen } = await startServer((response, { path }) => {
    if (path === '/old') response.writeHead(302, { location: '/api.json' }).end()
    else sendJson(response, 200, { ...CLEAR, servers: [{ url: '/rest' }] })
  })
  const env = { ...emptyHome(), CRM_API_KEY: 'crm_key_secret12345', CRM_BASE_URL: url.origin }
  const { exit, stdout } = await crm([...CREATE, `${url.origin}/old`], env)
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: expect.stringContaining(`origin: ${url.origin}\nbase: /rest\n`) })
  expect(seen.map(({ path }) => path)).toEqual(['/old', '/api.json'])
  for (const { headers } of seen) expect(JSON.stringify(headers)).not.toContain('secret12345')
})

test('a URL without a document is 6, and one that redirects for ever 9', async () => {
  const { url } = await startServer((response, { path }) => {
    if (path === '/round') response.writeHead(302, { location: '/round' }).end()
    else sendJson(response, 404, {})
  })
  const missing = await crm([...CREATE, `${url.origin}/none`], emptyHome())
  expect({ exit: missing.exit, stdout: missing.stdout }).toEqual({ exit: 6, stdout: '' })
  const round = await crm([...CREATE, `${url.origin}/round`], emptyHome())
  expect({ exit: round.exit, stderr: round.stderr }).toEqual({ exit: 9, stderr: expect.stringContaining('redirects') })
})

test.each<[string[], RegExp, RegExp]>([
  [['--resource', 'persons=/people'], /--resource "persons=\/people" names no resource/, /contacts, .*deals/],
  [['--resource', 'contacts'], /names no path/, /contacts=\/contacts/],
  [['--resource', 'contacts=/nothing'], /no path "\/nothing" for contacts/, /candidates: \/contacts, \/people/],
  [['--name', 'My CRM'], /--name does not accept "My CRM"/, /small letters/],
])('%j is a usage error and writes nothing', async (flags, what, next) => {
  const out = join(tempFolder(), 'my.yaml')
  const args = [...CREATE, fileOf(OPEN), '--out', out, ...flags]
  await expectRefusal({ args, env: emptyHome() }, { exit: 2, code: 'usage', what, next })
  expect(existsSync(out)).toBe(false)
})

test('a terminal is asked for what is open, by number or by path, and an empty answer leaves it open', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const out = join(tempFolder(), 'my.yaml')
  let stderr = ''
  const questions = ['/nothing\n', '2\n', '\n']
  const write = (text: string) => {
    stderr += text
    // A question ends without a line end.
    if (text.endsWith(') ')) stdin.write(questions.shift() ?? '\n')
    return true
  }
  const exit = await run([...CREATE, fileOf(OPEN), '--out', out], {
    io: { stdin, stdout: { write: () => true }, stderr: { write, isTTY: true } },
    env: emptyHome(),
    now: Date.now,
    signal: new AbortController().signal,
    version: '0.0.0',
    argv: [],
    folder: tempFolder(),
  })
  expect(stderr).toContain('  1  /contacts\n')
  expect(stderr).toContain('the document has no path "/nothing" for contacts; candidates: /contacts, /people')
  expect(readFileSync(out, 'utf8')).toContain('path: /people\n')
  expect({ exit, stderr }).toEqual({ exit: 3, stderr: expect.stringContaining('leaves a point open') })
})

/** A CRM with a wrapper, its own names and pages of two. */
function answerAsMeadow(people: JsonObject[]): Answering {
  return (response, { method, path, headers, body }) => {
    const url = new URL(path, 'http://meadow.example')
    const id = Number(url.pathname.split('/')[3])
    const person = people.find((each) => each.id === id)
    if (headers['x-key'] !== 'key-of-meadow') return sendJson(response, 401, { error: { message: 'no key' } })
    if (method === 'POST') {
      people.push({ id: people.length + 1, ...JSON.parse(body).data })
      return sendJson(response, 201, { data: people.at(-1) })
    }
    if (url.pathname === '/v1/persons') {
      const [page, size] = [Number(url.searchParams.get('page')), Number(url.searchParams.get('per_page'))]
      const rows = people.slice((page - 1) * size, page * size)
      return sendJson(response, 200, { data: rows, meta: { total: people.length } })
    }
    if (!person) return sendJson(response, 404, { error: { message: 'gone' } })
    if (method === 'PATCH') Object.assign(person, JSON.parse(body).data)
    return sendJson(response, 200, { data: person })
  }
}

function meadowDocument(url: URL): JsonObject {
  const fields = { full_name: TEXT, email_address: TEXT }
  const record = object({ id: INTEGER, ...fields })
  const wrapped = object({ data: record })
  const sent = object({ data: object(fields) })
  const paging = [query('page', INTEGER), query('per_page', { ...INTEGER, maximum: 2 })]
  const list = get(object({ data: listOf(record), meta: object({ total: INTEGER }) }), ...paging)
  const paths = {
    '/persons': { get: list, post: post(sent, wrapped) },
    '/persons/{id}': { get: get(wrapped), patch: post(sent, wrapped), delete: GONE },
  }
  const components = { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } }
  return documentWith(paths, { servers: [{ url: `${url.origin}/v1` }], components })
}

test('a draft without open points lists, gets, creates and updates on its server', async () => {
  const people = [1, 2, 3].map((id) => ({ id, full_name: `Person ${id}`, email_address: `p${id}@meadow.example` }))
  const { url } = await startServer(answerAsMeadow(people))
  const home = emptyHome()
  const draft = join(tempFolder(), 'meadow.yaml')
  await crmPrints([...CREATE, fileOf(meadowDocument(url)), '--resource', 'deals=none', '--out', draft], home)
  const login = ['auth', 'login', '--connector', draft, '--storage', 'file', '--key-stdin']
  await crmPrints(login, home, 'key-of-meadow')

  expect(await crmPrints(['contacts', 'list', '-o', 'id'], home)).toBe('1\n2\n3\n')
  const made = ['contacts', 'create', '--set', 'name=Ada', '--set', 'email=ada@meadow.example', '-o', 'id']
  expect(await crmPrints(made, home)).toBe('4\n')
  await crmPrints(['contacts', 'update', '4', '--set', 'name=Ada L.'], home)
  expect(people[3]).toEqual({ id: 4, full_name: 'Ada L.', email_address: 'ada@meadow.example' })
  const got = JSON.parse(await crmPrints(['contacts', 'get', '4', '-o', 'json'], home))
  expect(got).toMatchObject({ id: '4', name: 'Ada L.', email: 'ada@meadow.example' })
})

test('create writes paths that no URI holds encoded, and leaves out headers that crm sets itself', async () => {
  const header = { name: 'Expect', in: 'header', required: true, schema: { type: 'string', default: '100-continue' } }
  const paths = plainPaths('/my contacts', PERSON, ...PAGED) as Record<string, JsonObject>
  const withHeader = Object.entries(paths).map(([path, item]) => [path, { ...item, parameters: [header] }])
  const document = fileOf(documentWith(Object.fromEntries(withHeader) as typeof paths))
  const answers = ['--resource', 'contacts=/my contacts', '--resource', 'deals=none']
  const { exit, stdout } = await crm([...CREATE, document, ...answers], emptyHome())
  expect(exit).toBe(0)
  expect(stdout).toContain('path: /my%20contacts\n')
  expect(stdout).not.toContain('Expect')
  const file = join(tempFolder(), 'mine.yaml')
  writeFileSync(file, stdout)
  expect((await crm(['connectors', 'show', file], emptyHome())).exit).toBe(0)
})
