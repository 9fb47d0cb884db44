import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { readListedObjects } from '../../src/api/own-objects.ts'
import type { RawApi } from '../../src/api/raw.ts'
import { shippedConnector } from '../../src/connector/shipped.ts'
import type { JsonValue } from '../../src/core/json.ts'

/** What a connector makes of this answer of its server. */
async function listed(connector: string, answer: JsonValue) {
  const reply = { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) }
  const raw = { send: async () => ({ reply, error: undefined }) } as unknown as RawApi
  return readListedObjects(raw, await shippedConnector(connector))
}

const classes = (...names: string[]) => names.map((className) => ({ className, fields: {} }))

test('fields have their types, and references the noun of their target; what the server sets, and other types, are left out', async () => {
  const fields = {
    ...{ objectId: { type: 'String' }, createdAt: { type: 'Date' }, ACL: { type: 'ACL' }, version: { type: 'Number' } },
    ...{ serial: { type: 'String', required: true }, built: { type: 'Date' }, photo: { type: 'File' } },
    ...{ car: { type: 'Pointer', targetClass: 'ServiceCar' }, user: { type: 'Pointer', targetClass: '_User' } },
  }
  const results = [{ className: 'Machine', fields }, ...classes('ServiceCar', '_User', 'Contact', 'Company')]
  const found = await listed('parse', { results })
  expect(Object.entries(found).map(([noun, { one }]) => [noun, one])).toEqual([
    ['machines', 'machine'],
    ['service_cars', 'service_car'],
    ['companies', 'company'],
  ])
  expect(found.machines?.fields).toMatchObject({
    serial: { type: 'string', required: true, server: { type: 'String' } },
    built: { type: 'time', required: false },
    car: { to: 'service_cars', server: { type: 'Pointer', to: 'ServiceCar' } },
    user: { to: undefined, server: { type: 'Pointer', to: '_User' } },
  })
  expect(Object.keys(found.machines?.fields ?? {})).toEqual(['serial', 'built', 'car', 'user'])
})

test('a name that a path or a template would take for more than a name is none', async () => {
  const fields = {
    'a.b': { type: 'String' },
    '{id}': { type: 'String' },
    ok: { type: 'Pointer', targetClass: '{key}' },
  }
  const results = [{ className: 'Machine', fields }, ...classes('{id}', '../users', 'a/b', '')]
  expect(await listed('parse', { results })).toEqual({
    machines: { one: 'machine', fields: {}, server: { type: 'Machine' } },
  })
})

test('an object that the connector has is no second noun, and one whose noun crm uses otherwise is named apart', async () => {
  const object = (api_slug: string | null, singular_noun: string, plural_noun: string) => ({
    ...{ api_slug, singular_noun, plural_noun },
  })
  const data = [
    object('people', 'Person', 'People'),
    object('companies', 'Firm', 'Firms'),
    object('users', 'User', 'Users'),
    object('cars', 'Service car', 'Service cars'),
    object('sheep', 'Sheep', 'Sheep'),
    object(null, 'Draft', 'Drafts'),
  ]
  const found = await listed('attio', { data })
  expect(Object.entries(found).map(([noun, { one, server }]) => [noun, one, server?.type])).toEqual([
    ['user_records', 'user_record', 'users'],
    ['service_cars', 'service_car', 'cars'],
    ['sheep', 'sheep_record', 'sheep'],
  ])
})
