import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { run } from '../../src/program.ts'
import { type Answering, sendJson, startServer } from '../api/answering-server.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { serveForTest } from '../service/serve-for-test.ts'

const PEOPLE = Array.from({ length: 30 }, (_, index) => ({
  id: `p${index}`,
  name: `Person ${index}`,
  email: `p${index}@example.test`,
}))

/** Contacts of another API: `/api/people` in numbered pages of ten. */
const OTHER: Answering = (response, { path }) => {
  const { pathname, searchParams } = new URL(path, 'http://any')
  const [, id] = /^\/api\/people\/(\w+)$/.exec(pathname) ?? []
  if (id !== undefined) return sendJson(response, 200, PEOPLE.find((each) => each.id === id) ?? {})
  if (pathname !== '/api/people') return sendJson(response, 404, { error: `there is no ${pathname}` })
  const page = Number(searchParams.get('page') ?? 1)
  const pages = { page, total_pages: 3, total: PEOPLE.length }
  sendJson(response, 200, { people: PEOPLE.slice(page * 10 - 10, page * 10), ...pages })
}

function keyFile(): string {
  const file = join(tempFolder(), 'key')
  writeFileSync(file, 'key_of_the_test\n', { mode: 0o600 })
  return file
}

function loginAt(url: URL): string[] {
  return ['auth', 'login', '--base-url', url.origin, '--storage', 'file', '--key-file', keyFile()]
}

/** At a terminal that gives this answer to the question whether to read the server, and Enter to all others. */
async function logInAsked(url: URL, answer: string) {
  const home = emptyHome()
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  let stderr = ''
  const write = (text: string) => {
    stderr += text
    if (text.endsWith('[y/N] ')) stdin.write(`${answer}\n`)
    else if (text.endsWith(') ')) stdin.write('\n')
    return true
  }
  const io = { stdin, stdout: { write: () => true }, stderr: { write, isTTY: true } }
  const argv = loginAt(url)
  const signal = new AbortController().signal
  const exit = await run(argv, { io, env: home, now: Date.now, signal, version: '0.0.0', argv })
  return { exit, stderr, home, folder: join(home.HOME, '.config/crm') }
}

test('a login to crm serve makes a profile of its connector, with and without contacts', async () => {
  const service = await serveForTest()
  for (const name of [undefined, 'Ada', 'Bob']) {
    if (name !== undefined) await service.send('POST', '/v1/contacts', { name })
    const home = emptyHome()
    const login = ['auth', 'login', '--base-url', service.url, '--storage', 'file', '--key-stdin']
    expect(await crm(login, home, service.key.text)).toMatchObject({
      exit: 0,
      stderr: expect.stringMatching(/^Logged in to /),
    })
    expect(await crmPrints(['config', 'get', 'connector'], home)).toBe('crm\n')
  }
})

test('at a terminal, a login to another server reads it and ends in a connector of the profile and a working list', async () => {
  const { url } = await startServer(OTHER)
  const { exit, stderr, home, folder } = await logInAsked(url, 'y')
  expect(exit, stderr).toBe(0)
  expect(stderr).toContain(`${url.origin} does not answer like crm serve: `)
  const file = join(folder, 'connectors/default.yaml')
  expect(stderr).toContain(`The connector is ${file}.`)
  expect(stderr).toContain(`Logged in to ${url.origin};`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toContain('path: /api/people')
  expect(await crmPrints(['config', 'get', 'connector'], home)).toBe(`${file}\n`)
  expect((await crmPrints(['contacts', 'list', '-o', 'id'], home)).trim().split('\n')).toHaveLength(30)
})

test('a person who does not want the server to be read is not logged in', async () => {
  const { url } = await startServer(OTHER)
  const { exit, stderr, home } = await logInAsked(url, 'n')
  expect({ exit, left: readdirSync(home.HOME) }).toEqual({ exit: 7, left: [] })
  expect(stderr).toContain('nothing was stored')
})

test('what reading leaves open is said, and there is no profile of an unfinished connector', async () => {
  const { url } = await startServer((response, { path }) =>
    path.startsWith('/api/people')
      ? sendJson(response, 200, { people: PEOPLE.slice(0, 10), more: 'perhaps' })
      : sendJson(response, 404, {}),
  )
  const { exit, stderr, home, folder } = await logInAsked(url, 'y')
  expect(exit, stderr).toBe(3)
  expect(stderr).toContain('Decide: objects.contacts.verbs.list.paging')
  expect(stderr).toContain(`grep -n decide: ${folder}/connectors/default.yaml`)
  expect((await crm(['auth', 'status'], home)).exit).not.toBe(0)
})

const [FIRST] = PEOPLE

test.each<[string, Answering]>([
  ['has no contacts at this path', (response) => sendJson(response, 404, { error: 'no such path' })],
  ['answers with another list', (response) => sendJson(response, 200, { people: PEOPLE })],
  ['answers with a web page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['refuses the page size', (response) => sendJson(response, 400, { error: 'unknown parameter limit' })],
  ['shows contacts without ids', (response) => sendJson(response, 200, { data: [{}], next_cursor: null })],
  [
    'does not say where its list ends',
    (response, { path }) => sendJson(response, 200, path.includes('?') ? { data: [FIRST] } : (FIRST ?? {})),
  ],
  [
    'does not show a contact by its id',
    (response, { path }) =>
      path.includes('?')
        ? sendJson(response, 200, { data: [FIRST], next_cursor: null })
        : sendJson(response, 404, { error: 'no such path' }),
  ],
])(
  'without a terminal, a login to a server that %s is 7 and names the command that describes it',
  async (_, answer) => {
    const { url } = await startServer(answer)
    const home = emptyHome()
    const login = loginAt(url)
    const { exit, stdout, stderr } = await crm([...login, '-p', 'other'], home)
    expect({ exit, stdout }).toEqual({ exit: 7, stdout: '' })
    expect(stderr).toContain(`${url.origin} does not answer like crm serve: `)
    expect(stderr).toContain('nothing was stored')
    expect(stderr).toContain(`crm connectors create --probe ${url.origin} --out other.yaml --key-file ${login.at(-1)}`)
    expect(readdirSync(home.HOME)).toEqual([])
  },
)

test('a login that checks nothing says nothing of the server, and the next command says what is lacking', async () => {
  const { url, seen } = await startServer(OTHER)
  const home = emptyHome()
  expect((await crm([...loginAt(url), '--no-verify'], home)).stderr).toMatch(/^Not checked with /)
  expect(await crmPrints(['config', 'get', 'connector'], home)).toBe('\n')
  const { exit, stderr } = await crm(['contacts', 'list'], home)
  expect({ exit, seen }).toEqual({ exit: 7, seen: [] })
  expect(stderr).toContain(`crm auth login --base-url ${url.origin} -p default`)
})

test('a key that is refused may be one that is sent in another way, which the probe is told', async () => {
  const { url } = await startServer((response, request) =>
    request.headers['x-api-key'] === undefined ? sendJson(response, 401, {}) : OTHER(response, request, 0),
  )
  const home = emptyHome()
  const login = loginAt(url)
  const { exit, stderr } = await crm([...login, '-p', 'other'], home)
  const probe = `connectors create --probe ${url.origin} --auth header:X-API-Key --out other.yaml --key-file ${login.at(-1)}`
  expect(exit).toBe(4)
  expect(stderr).toContain(`crm ${probe}`)
  const folder = tempFolder()
  expect((await crm(probe.split(' '), home, '', folder)).exit).toBe(0)
  expect((await crm([...login, '-p', 'other', '--connector', './other.yaml'], home, '', folder)).exit).toBe(0)
  expect((await crmPrints(['contacts', 'list', '-o', 'id'], home)).trim().split('\n')).toHaveLength(30)
})

test('a key that may not read contacts is kept by naming the connector', async () => {
  const { url } = await startServer((response) => sendJson(response, 403, { detail: 'not for this key' }))
  const home = emptyHome()
  const login = loginAt(url)
  const { exit, stderr } = await crm(login, home)
  expect(exit).toBe(5)
  expect(stderr).toContain(`crm ${login.join(' ')} --connector crm --no-verify`)
  expect((await crm([...login, '--connector', 'crm', '--no-verify'], home)).exit).toBe(0)
})
