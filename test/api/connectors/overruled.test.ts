import { expect, test } from 'vitest'
import { createRecordMap } from '../../../src/api/connectors/record-map.ts'
import { shippedConnector } from '../../../src/api/connectors/shipped.ts'
import type { JsonObject } from '../../../src/core/json.ts'

function overruled(connector: string, values: JsonObject): JsonObject {
  const described = shippedConnector(connector).resources.contact
  if (!described) throw new Error(`${connector} has no contacts`)
  const map = createRecordMap(described, { connector, resource: 'contact' })
  return Object.fromEntries(map.overruled(values))
}

const EMAILS = [{ value: 'a@x.test', primary: true }]

test.each<[string, JsonObject, JsonObject]>([
  ['pipedrive', { email: 'b@x.test', emails: EMAILS }, { emails: 'email' }],
  ['pipedrive', { email: null, emails: EMAILS }, { emails: 'email' }],
  ['attio', { name: 'Ada King', name_: 'Ada Lovelace' }, { name_: 'name' }],
  ['attio', { email: 'b@x.test', email_addresses: 'a@x.test' }, { email_addresses: 'email' }],
  ['hubspot', { name: 'Ada King', firstname: 'Ada', lastname: 'Lovelace' }, { firstname: 'name', lastname: 'name' }],
  ['hubspot', { name: 'Ada King', lastname: 'Lovelace' }, { lastname: 'name' }],
])('%s: %j has a member that contradicts a field', (connector, values, expected) => {
  expect(overruled(connector, values)).toEqual(expected)
})

test.each<[string, JsonObject]>([
  ['pipedrive', { email: 'a@x.test', emails: [...EMAILS, { value: 'c@x.test', primary: false }] }],
  ['pipedrive', { emails: EMAILS }],
  ['pipedrive', { name: 'Ada', phones: EMAILS, email: 'b@x.test' }],
  ['attio', { name: 'Ada King', name_: 'Ada King', email: 'a@x.test', email_addresses: ['a@x.test', 'b@x.test'] }],
  ['hubspot', { name: 'Ada King', firstname: 'Ada' }],
])('%s: %j has none', (connector, values) => {
  expect(overruled(connector, values)).toEqual({})
})
