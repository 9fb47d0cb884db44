import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { run } from '../../../src/program.ts'
import { type Answering, sendJson, startServer } from '../../api/answering-server.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'

const MINE = `connector: 2
name: mine
objects:
  contacts: { path: /people, verbs: { list: { items: 'data[]', paging: none } }, fields: { name: full_name } }
`

const PEOPLE: Answering = (response, { path }) =>
  path === '/people' ? sendJson(response, 200, { data: [{ id: 'p1', full_name: 'Ada' }] }) : sendJson(response, 404, {})

/** A person with a profile of this server, in a repository with this line in its `.crm.toml`. */
async function person(line: string, protect: readonly string[] = []) {
  const { url, seen } = await startServer(PEOPLE)
  const home = emptyHome()
  const login = [
    'auth',
    'login',
    '--base-url',
    url.origin,
    '-p',
    'work',
    '--storage',
    'file',
    '--no-verify',
    '--key-stdin',
  ]
  await crmPrints([...login, ...protect], home, 'key_of_the_test')
  const folder = tempFolder()
  mkdirSync(join(folder, '.git'))
  writeFileSync(join(folder, '.crm.toml'), line)
  writeFileSync(join(folder, 'mine.yaml'), MINE)
  const list = () => crm(['contacts', 'list', '-o', 'jsonl'], home, '', folder)
  /** At a terminal, where the question gets this answer. */
  const listAsked = async (answer: string) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    const said = { stdout: '', stderr: '' }
    const write = (name: keyof typeof said) => (text: string) => {
      said[name] += text
      if (text.endsWith('[y/N] ')) stdin.write(`${answer}\n`)
      return true
    }
    const io = { stdin, stdout: { write: write('stdout') }, stderr: { write: write('stderr'), isTTY: true } }
    const argv = ['contacts', 'list', '-o', 'jsonl']
    const signal = new AbortController().signal
    return { exit: await run(argv, { io, env: home, now: Date.now, signal, version: '0.0.0', argv, folder }), ...said }
  }
  return { home, folder, url, seen, list, listAsked }
}

test('a connector of a repository is used once a person has accepted it, and asked for again when it changes', async () => {
  const { folder, url, seen, list, listAsked } = await person('connector = "./mine.yaml"')
  const refused = await list()
  expect(refused.exit).toBe(11)
  expect(refused.stderr).toContain(
    '.crm.toml names the connector ./mine.yaml, which was not accepted; nothing was sent',
  )
  expect(await listAsked('n')).toMatchObject({ exit: 11 })
  expect(seen).toEqual([])
  const accepted = await listAsked('y')
  expect(accepted.stderr).toContain(`which decides what crm sends to ${url.origin}. Use it? [y/N] `)
  expect(JSON.parse(accepted.stdout)).toMatchObject({ id: 'p1', name: 'Ada' })
  expect((await list()).stderr).toBe(`Connector ./mine.yaml, selected by ${join(folder, '.crm.toml')}.\n`)
  writeFileSync(join(folder, 'mine.yaml'), MINE.replace('/people', '/admins'))
  expect((await list()).exit).toBe(11)
  expect(seen.map(({ path }) => path)).toEqual(['/people', '/people'])
})

test('a connector of a repository changes no address, and not what a person chose', async () => {
  const { home, folder, seen, listAsked, list } = await person('connector = "mine.yaml"')
  writeFileSync(join(folder, 'mine.yaml'), `${MINE}origin: https://elsewhere.example\n`)
  expect((await listAsked('y')).exit).toBe(0)
  expect(seen).toHaveLength(1)
  await crmPrints(['config', 'set', 'connector', 'json-server', '-p', 'work'], home)
  writeFileSync(join(folder, '.crm.toml'), 'connector = "./other.yaml"')
  expect((await list()).exit).toBe(6)
  expect(seen.at(-1)?.path).toMatch(/^\/contacts/)
})

test.each([
  [
    'a path out of the folder',
    'connector = "../mine.yaml"',
    /line 1: connector must be a shipped one, or a file in this folder/,
  ],
  ['an absolute path', 'connector = "/etc/mine.yaml"', /connector must be a shipped one/],
  [
    'a file that is not there',
    'connector = "./none.yaml"',
    /names the connector \.\/none\.yaml: there is no such file/,
  ],
  [
    'a link out of the folder',
    'connector = "./link.yaml"',
    /names the connector \.\/link\.yaml: it leads out of that folder/,
  ],
])('%s is exit 2', async (_, line, message) => {
  const { folder, list, seen } = await person(line)
  const outside = join(tempFolder(), 'outside.yaml')
  writeFileSync(outside, MINE)
  symlinkSync(outside, join(folder, 'link.yaml'))
  const { exit, stderr } = await list()
  expect(exit).toBe(2)
  expect(stderr).toMatch(message)
  expect(seen).toEqual([])
})

test('a repository cannot choose how a protected server is spoken to', async () => {
  const { list, seen } = await person('connector = "./mine.yaml"', ['--protected'])
  const { exit, stderr } = await list()
  expect(exit).toBe(2)
  expect(stderr).toContain('names a connector for a protected server: a repository cannot choose it')
  expect(seen).toEqual([])
})

test('a key without an origin is not used with the connector of a repository', async () => {
  const { url, folder, seen } = await person('connector = "./mine.yaml"')
  const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'key_of_the_test' })
  await crm(['contacts', 'list'], env, '', folder)
  expect(seen.map(({ path }) => path.replace(/[?].*/, ''))).not.toContain('/people')
  expect(readFileSync(join(folder, 'mine.yaml'), 'utf8')).toBe(MINE)
})

test('a name in .crm.toml that is no shipped connector is refused before a person is asked', async () => {
  const { folder, seen, list, listAsked } = await person('connector = "nope"')
  const why = `${join(folder, '.crm.toml')} names the connector nope: no such connector is shipped, expected one of `
  for (const { exit, stderr } of [await list(), await listAsked('y')]) {
    expect(exit).toBe(2)
    expect(stderr).toContain(why)
    expect(stderr).toContain('pipedrive')
    expect(stderr).not.toContain('Use it?')
  }
  expect(seen).toEqual([])
})
