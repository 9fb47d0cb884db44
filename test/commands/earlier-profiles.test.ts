import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { serveForTest } from '../service/serve-for-test.ts'

/** A home whose profile `old` was written by an earlier version. */
/** What a profile of `crm serve` kept. */
const OPERATIONS = 'contacts.get,deals.delete,history.list,key.show,fixtures.kept,jobs.named'

function homeWith(profile: JsonObject) {
  const env = { ...emptyHome(), CRM_API_KEY: 'k', CRM_PROFILE: 'old' }
  const folder = join(env.HOME, '.config/crm')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify({ active: 'old', profiles: { old: profile } }), { mode: 0o600 })
  const stored = () => JSON.parse(readFileSync(config, 'utf8')).profiles.old
  return { env, folder, stored, file: join(folder, 'connectors/old.yaml') }
}

const WIRED = {
  paging: 'page',
  cursor_param: 'p',
  items_path: 'payload.rows',
  limit_param: 'none',
  idempotency: 'none',
  graphql_path: 'none',
  page_size: 5,
}

/** `/v1/contacts` in numbered pages of two, at `payload.rows`. */
async function startWired() {
  const people = [1, 2, 3].map((id) => ({ id: `p${id}` }))
  return startServer((response, { path }) => {
    const from = (Number(new URL(path, 'http://any').searchParams.get('p')) - 1) * 2
    sendJson(response, 200, { payload: { rows: people.slice(from, from + 2) } })
  })
}

test('the settings wire.* of an earlier version become a connector, once, and its lists are read as before', async () => {
  const { url } = await startWired()
  const { env, file, stored } = homeWith({ base_url: url.origin, wire: { ...WIRED, dialect: 'x' } })
  const first = await crm(['contacts', 'list', '-o', 'id'], env)
  expect(first).toEqual({
    exit: 0,
    stdout: 'p1\np2\np3\n',
    stderr: `Profile old: the settings wire.* of an earlier version are now the connector ${file}.\n`,
  })
  expect(readFileSync(file, 'utf8')).toBe(`connector: 2
name: old
extends: contract
idempotency: none
paging: { by: page, param: p, next: null, more: null, size: null }
verbs:
  list:
    items: payload.rows[]
`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(stored()).toEqual({ base_url: url.origin, connector: file, page_size: 5, wire: { dialect: 'x' } })
  expect(await crm(['contacts', 'list', '-o', 'id'], env)).toMatchObject({ stdout: first.stdout, stderr: '' })
})

test.each([
  [
    'crm serve, by its operations',
    { operations: OPERATIONS },
    { graphql_path: '/graph' },
    'extends: crm\ngraphql: /graph\n',
  ],
  [
    'crm serve, by its database',
    { serve_database: '/srv/crm.sqlite' },
    { request_life: '5m' },
    'extends: crm\nidempotency: { life: 5m }\n',
  ],
  [
    'crm serve, without its keys',
    { connector: 'crm' },
    { idempotency: 'none', request_life: '10m' },
    'extends: crm\nidempotency: { header: null, window: null, scope: null, kept: null, life: 10m }\n',
  ],
  ['its connector', { connector: 'pipedrive' }, { run_marker: 'crm_run' }, 'extends: pipedrive\nrun_marker: crm_run\n'],
  [
    'the contract, with what is not known of its keys',
    {},
    { idempotency_header: 'X-Once', idempotency_window: '1h' },
    'extends: contract\nidempotency: { header: X-Once, window: 1h, kept: [ Idempotent-Replayed, Idempotency-Replayed, Idempotency-Policy ] }\n',
  ],
  [
    'the contract, with its keys',
    {},
    { idempotency: 'kept' },
    'extends: contract\nidempotency: { header: Idempotency-Key }\n',
  ],
  [
    'the contract, with how long requests live, though it keeps no keys',
    {},
    { idempotency: 'none', request_life: '10m' },
    'extends: contract\nidempotency: { life: 10m }\n',
  ],
  [
    'the contract, with its next page',
    {},
    { next_path: 'meta.next' },
    'extends: contract\npaging: { next: meta.next, absent: true, more: null }\n',
  ],
  [
    'the contract, with its page size',
    {},
    { limit_param: 'per' },
    'extends: contract\npaging: { size: { param: per, max: 500 } }\n',
  ],
])('the connector of a profile of earlier settings extends %s', async (_, profile, wire, lines) => {
  const { env, file } = homeWith({ base_url: 'https://crm.example.com', ...profile, wire })
  expect((await crm(['config', 'list'], env)).exit).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe(`connector: 2\nname: old\n${lines}`)
  expect((await crm(['connectors', 'show', file, '-o', 'json'], env)).exit).toBe(0)
})

test('a connector in a file is copied, and says what the settings said of each of its lists', async () => {
  const own = join(tempFolder(), 'mine.yaml')
  const list = "verbs: { list: { items: 'data[]', paging: { by: page, param: page } } }"
  writeFileSync(own, `connector: 2\nname: mine\n# By hand.\nobjects:\n  contacts: { path: /people, ${list} }\n`)
  const { env, file } = homeWith({ base_url: 'https://crm.example.com', connector: own, wire: { cursor_param: 'p' } })
  expect((await crm(['config', 'list'], env)).stderr).toBe(
    `Profile old: the settings wire.* of an earlier version are now the connector ${file}.\n`,
  )
  expect(readFileSync(file, 'utf8')).toContain('# By hand.')
  const { resources } = JSON.parse(await crmPrints(['connectors', 'show', file, '-o', 'json'], env))
  expect(resources.contact.list.paging).toMatchObject({ by: 'page', param: 'p' })
})

test('where settings cannot be written, the connector holds for the command', async () => {
  const { url } = await startWired()
  const { env, folder, file } = homeWith({ base_url: url.origin, wire: WIRED })
  writeFileSync(join(folder, 'connectors'), '')
  const { exit, stdout, stderr } = await crm(['contacts', 'list', '-o', 'id'], env)
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'p1\np2\np3\n' })
  expect(stderr).toContain('Note: the connector of profile old could not be kept, and holds for this command: ')
  expect(existsSync(file)).toBe(false)
  const { exit: asked } = await crm(['config', 'migrate'], env)
  expect(asked).toBe(13)
})

test('config migrate says what it wrote, or that there is nothing to write', async () => {
  const { env, file } = homeWith({ base_url: 'https://crm.example.com', wire: { limit_param: 'none' } })
  expect(await crm(['config', 'migrate'], env)).toMatchObject({ exit: 0, stderr: expect.stringContaining(file) })
  expect(await crm(['config', 'migrate', '-p', 'old'], { ...env, CRM_API_KEY: '' })).toMatchObject({
    exit: 0,
    stderr: `Profile old has no settings of an earlier version; its connector is ${file}.\n`,
  })
})

test('settings that make no connector leave the profile without one, and the command says how to go on', async () => {
  const { env } = homeWith({ base_url: 'https://crm.example.com', wire: { graphql_path: 'no path' } })
  const { exit, stderr } = await crm(['contacts', 'list'], env)
  expect(exit).toBe(7)
  expect(stderr).toContain('Warning: the settings wire.* of profile old make no connector: ')
  expect(stderr).toContain('crm auth login --base-url https://crm.example.com -p old')
})

test('a profile of an earlier version that says nothing of its server needs no file', async () => {
  const service = await serveForTest()
  await service.send('POST', '/v1/contacts', { name: 'Ada' })
  const { env, folder, stored } = homeWith({
    base_url: service.url,
    operations: OPERATIONS,
    wire: { page_size: 500, idempotency: 'unknown', limit_param: 'limit' },
  })
  const before = stored()
  const there = { ...env, CRM_API_KEY: service.key.text }
  expect(await crm(['contacts', 'list', '-o', 'jsonl'], there)).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('Ada'),
    stderr: '',
  })
  expect(await crmPrints(['config', 'get', 'connector'], env)).toBe('crm\n')
  expect(await crmPrints(['config', 'get', 'wire.page_size'], env)).toBe('500\n')
  expect(stored()).toEqual(before)
  expect(existsSync(join(folder, 'connectors'))).toBe(false)
})

test.each([{}, { operations: 'contacts.get,deals.delete' }, { wire: { page_size: 50 } }])(
  'the first command of a profile with %j alone is 7 and names the login that finds out how its server speaks',
  async (profile) => {
    const { url, seen } = await startServer((response) => sendJson(response, 200, { data: [], next_cursor: null }))
    const { env } = homeWith({ base_url: url.origin, ...profile })
    const { exit, stderr } = await crm(['contacts', 'list'], env)
    expect({ exit, seen }).toEqual({ exit: 7, seen: [] })
    expect(stderr).toContain(`the profile old has no connector, which describes the API of ${url.origin}`)
    expect(stderr).toContain(`crm auth login --base-url ${url.origin} -p old`)
    expect(await crmPrints(['auth', 'token'], env)).toBe('k\n')
    await crmPrints(['config', 'set', 'connector', 'contract'], env)
    expect((await crm(['contacts', 'list'], env)).exit).toBe(0)
  },
)

test('settings of an earlier version in a folder that cannot be read do not fail a command that needs none of them', async () => {
  const { url } = await startServer((response) => sendJson(response, 200, { data: [], next_cursor: null }))
  const { env, folder } = homeWith({ base_url: url.origin, wire: WIRED })
  chmodSync(join(folder, 'config.json'), 0o666)
  const ci = { HOME: env.HOME, CRM_API_KEY: 'k', CRM_BASE_URL: url.origin }
  expect(await crm(['contacts', 'list', '-o', 'id'], ci)).toMatchObject({ exit: 0 })
})
