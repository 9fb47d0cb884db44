import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { connectorSchema } from '../../src/connector/json-schema.ts'
import { loadConnector } from '../../src/connector/load-connector.ts'
import { shippedNames } from '../../src/connector/shipped.ts'
import { CrmError } from '../../src/core/errors.ts'
import type { JsonObject } from '../../src/core/json.ts'

const isValid = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(connectorSchema())

const GOOD = {
  connector: 1,
  name: 'acme',
  variables: { company: { ask: 'Company', pattern: '[a-z]+' } },
  origin: 'https://{company}.acme.example:8443',
  base: '/v1',
  auth: { in: 'header', name: 'x-key', value: 'Key {key}' },
  headers: { 'x-version': '2' },
  error: { message: 'm', fields: { items: 'errors[]' }, kinds: [{ status: 409, means: 'exists' }] },
  limits: [{ requests: 10, per: '1s' }],
  idempotency: { header: 'x-once', keeps: '24h', scope: 'key', kept: ['x-once-kept'] },
  clear: null,
  paging: { by: 'cursor', param: 'after', next: 'next', size: { param: 'limit', max: 100 } },
  resources: {
    contacts: {
      path: '/people',
      id: { at: 'id', type: 'integer' },
      created_at: { at: 'made', as: 'unix' },
      others: ['.', { at: 'custom', names: 'x_[a-z]+' }],
      select: { param: 'fields' },
      list: { items: 'data[]', query: { sort: 'id' } },
      get: { path: '/{id}', record: 'data' },
      create: { body: { data: '{record}' }, set: { source: 'crm' }, ok: [200, 201], gives: 'data' },
      update: null,
      delete: { path: '/{id}', restorable: '30d', ok: { status: 200, at: 'ok', is: true } },
      find: { email: { query: { email: '{value}' }, lag: 'unknown' } },
      batch: { size: 10, read: { item: '{id}', row: 'none', body: '{items}', results: 'r[]' } },
      filters: { owner: { query: 'owner' } },
      fields: {
        name: { join: ['first', 'last'], max: [20, 20], clear: '' },
        email: 'emails[primary=true].value',
        status: { at: 'active', map: { open: true, closed: false } },
      },
    },
  },
}

type Change = readonly [path: string, value: unknown]

/** Changes of the document above; undefined removes a member. */
const BAD: readonly Change[] = [
  ['connector', 2],
  ['connector', '1'],
  ['connector', undefined],
  ['name', undefined],
  ['name', 'Acme Inc'],
  ['resources', undefined],
  ['resource', {}],
  ['resources.people', {}],
  ['resources.contacts.lst', {}],
  ['variables.Company', { ask: 'x' }],
  ['variables.company.ask', undefined],
  ['origin', 'https://acme.example/v1'],
  ['origin', 'ftp://acme.example'],
  ['base', '/v1?x=1'],
  ['base', '/v1/../x'],
  ['auth', 'bearer'],
  ['auth.in', 'cookie'],
  ['auth.value', '{key'],
  ['headers.x-version', 2],
  ['resources.contacts.create.gives', 'a..b'],
  ['resources.contacts.delete.ok', 302],
  ['error.kinds.0.means', 'broken'],
  ['error.kinds.0.status', undefined],
  ['limits.0.per', 10],
  ['limits.0.per', '10 seconds'],
  ['limits.0.requests', 0],
  ['idempotency', 'maybe'],
  ['idempotency.header', undefined],
  ['clear', 0],
  ['clear', ['x']],
  ['paging.by', 'pages'],
  ['paging.size', { max: 5 }],
  ['paging.start', 2],
  ['resources.contacts.id', { type: 'integer' }],
  ['resources.contacts.id.type', 'number'],
  ['resources.contacts.created_at.as', 'iso'],
  ['resources.contacts.others.1.at', 'a[b'],
  ['resources.contacts.read_only', 'id'],
  ['resources.contacts.list.items', 'data['],
  ['resources.contacts.get.method', 'HEAD'],
  ['resources.contacts.get.path', '/{id} x'],
  ['resources.contacts.create.body.data', ['{']],
  ['resources.contacts.delete.restorable', 'long'],
  ['resources.contacts.find.Email', { query: { q: '{value}' } }],
  ['resources.contacts.find.email.values', 0],
  ['resources.contacts.batch.read.accounts', 'some'],
  ['resources.contacts.filters.owner', {}],
  ['resources.contacts.fields.name.join', ['first']],
  ['resources.contacts.fields.name.max', 0],
  ['resources.contacts.fields.status', {}],
  ['resources.contacts.fields.status', 1],
  ['resources.contacts.fields.status.required', 'yes'],
  ['resources.contacts.fields.status.type', 'bool'],
]

function changed([path, value]: Change): JsonObject {
  const document = structuredClone(GOOD) as unknown as JsonObject
  const names = path.split('.')
  const last = names.pop() ?? ''
  const holder = names.reduce<JsonObject>((at, name) => at[name] as JsonObject, document)
  if (value === undefined) delete holder[last]
  else holder[last] = value as JsonObject
  return document
}

/** JSON is YAML. */
function isLoaded(document: unknown): boolean {
  try {
    loadConnector(JSON.stringify(document), { fileName: 'acme.yaml', baseOf: () => undefined })
    return true
  } catch (error) {
    if (error instanceof CrmError) return false
    throw error
  }
}

it('takes a connector with every kind of member, as the loader does', () => {
  expect(isValid(GOOD), JSON.stringify(isValid.errors)).toBe(true)
  expect(isLoaded(GOOD)).toBe(true)
})

it.each(BAD.map((change) => [change[0], JSON.stringify(change[1]), change] as const))(
  'refuses %s as %s, as the loader does',
  (_, __, change) => {
    const document = changed(change)
    expect({ schema: isValid(document), loader: isLoaded(document) }).toEqual({ schema: false, loader: false })
  },
)

it.each([...shippedNames()])('takes the shipped connector %s', (name) => {
  const text = readFileSync(new URL(`../../connectors/${name}.yaml`, import.meta.url), 'utf8')
  expect(isValid(parse(text, { version: '1.2' })), JSON.stringify(isValid.errors)).toBe(true)
})

it('takes a connector that extends another without resources of its own', () => {
  expect(isValid({ connector: 1, name: 'mine', extends: 'pipedrive', base: '/v3' })).toBe(true)
})

it('describes every member', () => {
  const { properties, $defs } = connectorSchema() as { properties: object; $defs: Record<string, JsonObject> }
  const objects = [properties, ...Object.values($defs).map((each) => each.properties ?? {})]
  const members = objects.flatMap((each) => Object.entries(each as Record<string, JsonObject>))
  expect(members.length).toBeGreaterThan(100)
  expect(members.filter(([, { description }]) => !description)).toEqual([])
})
