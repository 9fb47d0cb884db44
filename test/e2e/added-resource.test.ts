import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * What CONTRIBUTING.md says of a new field and a new resource, done in a copy of the source tree: nothing but the places that it
 * names is changed, and everything else follows.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LEFT_OUT = ['node_modules', 'dist', '.git', '.crm']

const copy = mkdtempSync(join(tmpdir(), 'crm-copy-'))
const home = join(copy, '.home')
const env: Record<string, string> = { HOME: home, PATH: process.env.PATH ?? '' }
let stop: () => Promise<unknown> = async () => {}

beforeAll(async () => {
  cpSync(ROOT, copy, { recursive: true, filter: (from) => !LEFT_OUT.includes(basename(from)) })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  addField()
  addResource()
  node(['scripts/objects.ts'])
  node(['node_modules/typescript/bin/tsc'])
  node(['scripts/build.ts'])
  stop = await serve(['--unique', 'partners.domain'])
})

afterAll(async () => {
  await stop()
  rmSync(copy, { recursive: true, force: true })
})

function change(path: string, before: string | RegExp, after: string): void {
  const text = readFileSync(join(copy, path), 'utf8')
  const changed = text.replace(before, after)
  if (changed === text) throw new Error(`${path} has no ${before}`)
  writeFileSync(join(copy, path), changed)
}

/** The line of the page, where it says. */
function addField(): void {
  const [, line = ''] = /`(company_size: \{.*\})`/.exec(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')) ?? []
  change('connectors/contract.yaml', '\n  deals:', `\n      ${line}\n  deals:`)
}

/** Its part of the contract, its line in the registry, its line in the list of nouns. */
function addResource(): void {
  change(
    'connectors/contract.yaml',
    '\n  deals:',
    `
  partners:
    one: partner
    path: /v1/partners
    fields:
      name: { at: name, type: string, required: true, about: Name of the partner, headings: [partnername] }
      domain: { at: domain, type: string, about: Its domain name, headings: [website] }
      employees: { at: employees, type: integer, about: People who work there, headings: [headcount] }
  deals:`,
  )
  const line = `partner: {
    ...OBJECTS.partner,
    idPrefix: 'par_',
    isOpen: true,
    isImportable: true,
    hints: { match: 'domain', where: '.domain == null' },
    about: 'Organisations.',
    example: { name: 'Engines Ltd', domain: 'engines.example' },
  },`
  change('src/core/resources/registry.ts', '  deal: {', `  ${line}\n  deal: {`)
  const noun = "  contacts: async () => (await import('./contacts.ts')).CONTACTS_COMMANDS,"
  const own = "  partners: async () => (await import('./records/own.ts')).ownCommands(resourceOf('partners')),"
  change('src/commands/commands.ts', noun, `${noun}\n${own}`)
}

function node(args: readonly string[], input = ''): { readonly stdout: string; readonly stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, env, input, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}\n${stdout}${stderr}`)
  return { stdout, stderr }
}

/** Its stdout; an exit code other than 0 fails the test. */
function crm(args: readonly string[], input?: string): string {
  return node(['bin/crm.js', ...args], input).stdout
}

function refused(args: readonly string[], input = '') {
  const options = { cwd: copy, env, input, encoding: 'utf8' } as const
  const { status, stderr } = spawnSync(process.execPath, ['bin/crm.js', ...args], options)
  return { exit: status, stderr }
}

async function serve(args: readonly string[]): Promise<() => Promise<unknown>> {
  const key = `crm_key_${randomBytes(32).toString('base64url')}`
  writeFileSync(join(copy, 'key'), key, { mode: 0o600 })
  const words = ['bin/crm.js', 'serve', '--port', '0', '--ready-json', '--key-file', 'key', ...args]
  const child = spawn(process.execPath, words, { cwd: copy, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const [ready] = await Promise.race([once(child.stdout, 'data'), ended])
  if (!Buffer.isBuffer(ready)) throw new Error(`crm serve ended with ${ready}`)
  const { url } = JSON.parse(String(ready))
  Object.assign(env, { CRM_BASE_URL: url, CRM_API_KEY: key })
  return () => {
    child.kill('SIGTERM')
    return ended
  }
}

function json(args: readonly string[], input?: string) {
  return JSON.parse(crm([...args, '-o', 'json'], input))
}

test('a partner is created, read, listed, changed and deleted', () => {
  const id = crm(['partners', 'create', '--set', 'name=Engines', '--set', 'employees:=5', '-o', 'id']).trim()
  expect(id).toMatch(/^par_/)
  expect(json(['partners', 'get', id])).toMatchObject({ id, name: 'Engines', employees: 5 })
  expect(json(['partners', 'list', '--where', '.employees > 4', '--fields', 'name'])).toEqual([{ name: 'Engines' }])
  expect(crm(['partners', 'update', id, '--set', 'domain=engines.test', '-o', 'id']).trim()).toBe(id)
  expect(json(['partners', 'delete', id, '--yes'])).toEqual([{ id, outcome: 'done' }])
  expect(json(['partners', 'list'])).toEqual([])
  expect(refused(['partner', 'list']).stderr).toContain('did you mean partners?')
})

test('partners are imported, matched by their own member, exported, changed and deleted in bulk', () => {
  crm(
    ['partners', 'import', '-', '--yes', '--run-id', 'r1'],
    'name,domain,Employees\nEngines,engines.test,5\nLooms,looms.test,7\n',
  )
  const again = 'name,domain\nEngines Ltd,ENGINES.test\n'
  const { stderr } = node(
    ['bin/crm.js', 'partners', 'import', '-', '--match', 'domain', '--yes', '--run-id', 'r2'],
    again,
  )
  expect(stderr).not.toMatch(/contact/i)
  crm(['partners', 'update', '--where', '.name == "Looms"', '--set', 'employees:=8', '--yes'])
  const exported = crm(['partners', 'export', '-', '-o', 'csv', '--fields', 'name,domain,employees'])
  expect(exported.trim().split(/\r?\n/).toSorted()).toEqual([
    'Engines Ltd,engines.test,5',
    'Looms,looms.test,8',
    'name,domain,employees',
  ])
  crm(['partners', 'delete', '--where', 'true', '--yes', '--expect', '2'])
  expect(crm(['partners', 'list', '-o', 'id'])).toBe('')
})

test('the error of a row of partners uses their words', () => {
  const columns = 'Partner ID,name,website\n'
  const header = refused(
    ['partners', 'import', '-', '--yes', '--run-id', 'r3'],
    `${columns}par_0,Engines,engines.test\n`,
  )
  expect(header).toMatchObject({ exit: 2, stderr: expect.stringMatching(/Partner ID=id[\s\S]*website=domain/) })
  const half = refused(['partners', 'import', '-', '--yes', '--run-id', 'r4'], 'name,employees\nEngines,5.5\n')
  expect(half).toMatchObject({ exit: 2, stderr: expect.stringContaining('expected a whole number') })
  const text = refused(['partners', 'create', '--set', 'name=Engines', '--set', 'employees=5'])
  expect(text).toMatchObject({ exit: 2, stderr: expect.stringContaining('--set employees:=5') })
})

test('serve --unique keeps a member of partners unique, and a removed partner frees its value', () => {
  const create = ['partners', 'create', '--set', 'name=Engines', '--set', 'domain=one.test']
  const id = crm([...create, '-o', 'id']).trim()
  expect(refused(create)).toMatchObject({ exit: 7, stderr: expect.stringContaining(`${id} already has this domain`) })
  crm(['contacts', 'create', '--set', 'name=Ada', '--set', 'domain=one.test'])
  crm(['partners', 'delete', id, '--yes'])
  expect(json([...create])).toMatchObject({ domain: 'one.test' })
})

test('stats, made-up events, subscriptions, schemas and GraphQL have partners', () => {
  expect(json(['serve', 'stats'])).toMatchObject({ partners: 1 })
  const event = json(['webhooks', 'trigger', 'partner.created', '--dry-run'])
  expect(event.body.data).toMatchObject({ id: expect.stringMatching(/^par_/), name: 'Engines Ltd' })
  expect(json(['webhooks', 'create', '--url', 'http://127.0.0.1:9/', '--events', 'partner.*'])).toMatchObject({
    events: ['partner.*'],
  })
  expect(json(['schema', 'partners', 'list']).anyOf[0].items.properties).toHaveProperty('employees')
  expect(crm(['graphql', '{ partners { nodes { employees name } } }', '-o', 'json'])).toMatch(/"name": ?"Engines"/)
  expect(crm(['partners', '--help'])).not.toMatch(/contact/i)
})

test('company_size of contacts needs one line in its definition, and works everywhere', async () => {
  const rows = 'name,Company Size\nAda,12\nBob,7\n'
  crm(['contacts', 'import', '-', '--yes', '--run-id', 'r5'], rows)
  expect(json(['contacts', 'list', '--where', '.company_size > 10', '--fields', 'name,company_size'])).toEqual([
    { name: 'Ada', company_size: 12 },
  ])
  expect(crm(['contacts', 'list', '-o', 'table'])).toMatch(/company_size/i)
  expect(refused(['contacts', 'import', '-', '--yes', '--run-id', 'r6'], 'name,employees\nAda,3\n').stderr).toContain(
    'employees=company_size',
  )
  const fields = ['contacts', 'create', '--set', 'name=Cy', '--set', 'company_size:=2.5']
  expect(refused(fields)).toMatchObject({ exit: 7, stderr: expect.stringContaining('company_size') })
  const create = (size: string) =>
    `mutation { createContact(input: { name: "Dee", companySize: ${size} }) { contact { id } } }`
  crm(['graphql', create('3000000000')])
  expect(refused(['graphql', create('2.5')])).toMatchObject({ stderr: expect.stringContaining('company_size') })
  const query = '{ contacts(first: 1) { nodes { companySize } } }'
  expect(crm(['graphql', query, '-o', 'json'])).toContain('"companySize": 3000000000')
  const response = await fetch(new URL('/v1/openapi.json', env.CRM_BASE_URL))
  const { components } = (await response.json()) as { components: { schemas: Record<string, unknown> } }
  expect(components.schemas.NewContact).toMatchObject({
    properties: { company_size: { type: ['integer', 'null'] } },
  })
})
