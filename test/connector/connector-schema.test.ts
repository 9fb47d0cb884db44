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
  connector: 2,
  name: 'acme',
  variables: { company: { ask: 'Company', pattern: '[a-z]+' } },
  origin: 'https://{company}.acme.example:8443',
  base: '/v1',
  auth: { in: 'header', name: 'x-key', value: 'Key {key}' },
  headers: { 'x-version': '2' },
  error: { message: 'm', fields: { items: 'errors[]' }, kinds: [{ status: 409, means: 'exists' }] },
  limits: [{ requests: 10, per: '1s' }],
  idempotency: { header: 'x-once', window: '24h', scope: 'key', kept: ['x-once-kept'] },
  record: { clear: null, version: 'v' },
  verbs: { get: { record: 'data' } },
  paging: { by: 'cursor', param: 'after', next: 'next', size: { param: 'limit', max: 100 } },
  objects: {
    contacts: {
      path: '/people',
      is: 'contact',
      only: ['list', 'get', 'create', 'delete', 'find'],
      record: { id: { at: 'id', type: 'integer' }, created_at: { at: 'made', as: 'unix' } },
      others: ['.', { at: 'custom', names: 'x_[a-z]+' }],
      select: { param: 'fields' },
      verbs: {
        list: { items: 'data[]', query: { sort: 'id' } },
        create: { body: { data: '{record}' }, set: { source: 'crm' }, ok: [200, 201], gives: 'data' },
        update: null,
        delete: { path: '{object}/{id}', restorable: '30d', ok: { status: 200, at: 'ok', is: true } },
        find: { email: { query: { email: '{value}' }, lag: 'unknown' } },
      },
      batch: { size: 10, match: 'id', read: { item: '{id}', body: '{items}', results: 'r[]' } },
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
  ['connector', 1],
  ['connector', '1'],
  ['connector', undefined],
  ['name', undefined],
  ['name', 'Acme Inc'],
  ['objects', undefined],
  ['object', {}],
  ['objects.contacts.lst', {}],
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
  ['objects.contacts.verbs.create.gives', 'a..b'],
  ['objects.contacts.verbs.delete.ok', 302],
  ['error.kinds.0.means', 'broken'],
  ['error.kinds.0.status', undefined],
  ['limits.0.per', 10],
  ['limits.0.per', '10 seconds'],
  ['limits.0.requests', 0],
  ['idempotency', 'maybe'],
  ['idempotency.header', undefined],
  ['record.clear', 0],
  ['record.clear', ['x']],
  ['paging.by', 'pages'],
  ['paging.size', { max: 5 }],
  ['paging.start', 2],
  ['objects.contacts.record.id', { type: 'integer' }],
  ['objects.contacts.record.id.type', 'number'],
  ['objects.contacts.record.created_at.as', 'iso'],
  ['objects.contacts.others.1.at', 'a[b'],
  ['objects.contacts.read_only', 'id'],
  ['objects.contacts.verbs.list.items', 'data['],
  ['verbs.get.method', 'HEAD'],
  ['verbs.get.path', '/{id} x'],
  ['objects.contacts.verbs.create.body.data', ['{']],
  ['objects.contacts.verbs.delete.restorable', 'long'],
  ['objects.contacts.verbs.find.Email', { query: { q: '{value}' } }],
  ['objects.contacts.verbs.find.email.values', 0],
  ['objects.contacts.batch.match', 'some'],
  ['objects.contacts.is', 'person'],
  ['objects.contacts.only', ['remove']],
  ['objects.Contacts', {}],
  ['objects.contacts.filters.owner', {}],
  ['objects.contacts.fields.name.join', ['first']],
  ['objects.contacts.fields.name.max', 0],
  ['objects.contacts.fields.status', {}],
  ['objects.contacts.fields.status', 1],
  ['objects.contacts.fields.status.required', 'yes'],
  ['objects.contacts.fields.status.type', 'bool'],
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

it('takes a connector that extends another without objects of its own', () => {
  expect(isValid({ connector: 2, name: 'mine', extends: 'pipedrive', base: '/v3' })).toBe(true)
})

it('describes every member', () => {
  const { properties, $defs } = connectorSchema() as { properties: object; $defs: Record<string, JsonObject> }
  const objects = [properties, ...Object.values($defs).map((each) => each.properties ?? {})]
  const members = objects.flatMap((each) => Object.entries(each as Record<string, JsonObject>))
  expect(members.length).toBeGreaterThan(100)
  expect(members.filter(([, { description }]) => !description)).toEqual([])
})
