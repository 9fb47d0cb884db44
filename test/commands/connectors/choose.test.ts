import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { shippedNames } from '../../../src/connector/shipped.ts'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'

async function homeWithProfile() {
  const home = emptyHome()
  await crmPrints(['config', 'set', 'base_url', 'https://crm.example.test', '-p', 'prod'], home)
  return home
}

test('config set connector refuses what is no connector, and names those that are', async () => {
  const home = await homeWithProfile()
  const set = (name: string) => crm(['config', 'set', 'connector', name, '-p', 'prod'], home)
  const { exit, stderr } = await set('pipedriv')
  expect(exit).toBe(2)
  expect(stderr).toContain(`no connector is named "pipedriv", expected one of ${shippedNames().join(', ')}, or a file`)
  expect(stderr).toContain('did you mean pipedrive?')
  expect((await set('/nowhere/mine.yaml')).stderr).toContain('/nowhere/mine.yaml: there is no such file')
  expect(await crmPrints(['config', 'get', 'connector', '-p', 'prod'], home)).toBe('crm\n')
  for (const name of ['pipedrive', 'contract', '']) expect((await set(name)).exit).toBe(0)
})

test('a connector changes neither the origin of a profile nor where its key goes', async () => {
  const { url, seen } = await startServer((response) => sendJson(response, 200, { data: [] }))
  const home = emptyHome()
  const login = ['auth', 'login', '-p', 'prod', '--storage', 'file', '--no-verify', '--key-stdin']
  await crmPrints([...login, '--base-url', url.origin], home, 'key_of_the_test')
  const file = join(tempFolder(), 'theirs.yaml')
  const contacts = "{ path: /people, verbs: { list: { items: 'data[]', paging: none } } }"
  writeFileSync(
    file,
    `connector: 2\nname: theirs\norigin: https://elsewhere.example\nobjects: { contacts: ${contacts} }\n`,
  )
  const refused = await crm([...login, '--connector', file], home, 'key_of_the_test')
  expect(refused.exit).toBe(2)
  expect(refused.stderr).toContain(`profile prod belongs to ${url.origin}, not to https://elsewhere.example`)
  expect((await crm(['contacts', 'list'], { ...home, CRM_CONNECTOR: './theirs.yaml' }, '', dirname(file))).exit).toBe(0)
  await crmPrints(['config', 'set', 'connector', file, '-p', 'prod'], home)
  expect((await crm(['contacts', 'list'], home)).exit).toBe(0)
  expect(seen.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/people', 'Bearer key_of_the_test'],
    ['/people', 'Bearer key_of_the_test'],
  ])
})

test('a hint names a connector from a file by its path', async () => {
  const { url } = await startServer((response) => sendJson(response, 200, { data: [{ mail: 'ana@example.test' }] }))
  const file = join(tempFolder(), 'with space.yaml')
  const contacts = "{ path: /people, verbs: { list: { items: 'data[]', paging: none } } }"
  writeFileSync(file, `connector: 2\nname: theirs\nobjects: { contacts: ${contacts} }\n`)
  const env = emptyHome({ CRM_CONNECTOR: file, CRM_BASE_URL: url.origin, CRM_API_KEY: 'key_of_the_test' })
  for (const args of ['webhooks list', 'contacts delete 1 --yes', 'connectors check']) {
    expect((await crm(args.split(' '), env)).stderr).toContain(`crm connectors show '${file}'`)
  }
})

test('the only mistake of a connector that extends an unknown one is that name, with the one that was meant', async () => {
  const file = join(tempFolder(), 'mine.yaml')
  writeFileSync(file, 'connector: 2\nname: mine\nextends: pipdrive\n')
  const { exit, stderr } = await crm(['connectors', 'show', file], emptyHome())
  expect(exit).toBe(2)
  expect(stderr).toContain(
    'the connector "pipdrive" is not there, expected the name of a shipped one; did you mean pipedrive?',
  )
  expect(stderr).not.toContain('is missing')
})

test('a variable that is probably misspelt is named', async () => {
  const env = emptyHome({
    CRM_CONNECTOR: 'pipedrive',
    CRM_CONNECTOR_VARS: 'compny=acme',
    CRM_API_KEY: 'key_of_the_test',
  })
  const { exit, stderr } = await crm(['contacts', 'list'], env)
  expect(exit).toBe(2)
  expect(stderr).toContain('the variable company has no value, and compny has one, expected')
})

test.each([
  ['a path with a control character', 'base: "/contacts\\e[2J"', '3:8'],
  ['a header with a line end', 'headers: { X-One: "a\\r\\nX: y" }', '3:20'],
  ['a header that is no name', 'headers: { X A: y }', '3:12'],
  ['the header of the address', 'headers: { hOST: evil.example }', '3:12'],
])('login and connectors show refuse %s at its place, and send nothing', async (_, line, at) => {
  const { url, seen } = await startServer((response) => sendJson(response, 200, { data: [] }))
  const file = join(tempFolder(), 'theirs.yaml')
  writeFileSync(file, `connector: 2\nname: theirs\n${line}\nobjects: {}\n`)
  const login = ['auth', 'login', '-p', 'prod', '--storage', 'file', '--key-stdin', '--base-url', url.origin]
  for (const args of [
    [...login, '--connector', file],
    ['connectors', 'show', file],
  ]) {
    const { exit, stderr } = await crm(args, emptyHome(), 'key_of_the_test')
    expect({ exit, isPlaced: stderr.includes(`${file}:${at}: `) }).toEqual({ exit: 2, isPlaced: true })
    expect(stderr).not.toContain('this is a bug')
    expect(stderr).not.toContain('\u001b[2J')
  }
  expect(seen).toEqual([])
})

test('login without a terminal names all variables that are needed in one command', async () => {
  const file = join(tempFolder(), 'two.yaml')
  const variables = 'variables: { company: { ask: Company }, region: { ask: Region } }'
  const resources = 'objects: { contacts: { path: "/{region}", verbs: { list: { paging: none } } } }'
  writeFileSync(file, `connector: 2\nname: two\n${variables}\norigin: https://{company}.example\n${resources}\n`)
  const login = ['auth', 'login', '-p', 'prod', '--no-verify', '--key-stdin', '--connector', file]
  const hintOf = async (given: string | undefined) =>
    (await crm(login, emptyHome(given === undefined ? {} : { CRM_CONNECTOR_VARS: given }), 'key')).stderr
  const none = await hintOf(undefined)
  expect(none).toContain('the connector needs company (Company), region (Region), and there is no terminal to ask at')
  expect(none).toContain('CRM_CONNECTOR_VARS=company=VALUE,region=VALUE crm auth login')
  expect(await hintOf('company=acme')).toContain('CRM_CONNECTOR_VARS=company=acme,region=VALUE crm auth login')
})
