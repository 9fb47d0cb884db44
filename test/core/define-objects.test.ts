import { expect, test } from 'vitest'
import { defineOwnObjects, ownUniqueMembers } from '../../src/core/resources/own-objects.ts'
import { OPEN_RESOURCES, RESOURCES, resourceNamed } from '../../src/core/resources/registry.ts'

test('an object is a resource until tables are made of the registry; after that it is refused', async () => {
  const fields = { serial: { unique: true }, part_id: { to: 'parts' } }
  defineOwnObjects({ machines: { one: 'machine', fields }, parts: { one: 'part', fields: {} } }, 'database')
  expect(OPEN_RESOURCES).toEqual(['contact', 'company', 'task', 'machine', 'part'])
  expect(resourceNamed('machines')).toBe('machine')
  expect(RESOURCES).toMatchObject({ machine: { fields: { part_id: { type: 'reference', to: 'part' } } } })
  expect(ownUniqueMembers()).toEqual([{ resource: 'machine', member: 'serial' }])
  const { tableOf } = await import('../../src/service/store/schema.ts')
  expect(tableOf(OPEN_RESOURCES[3] ?? 'contact')).toBe('own_machines')
  const sites = { sites: { one: 'site', fields: {} } }
  expect(() => defineOwnObjects(sites, 'database')).toThrow('sites is defined after the tables and routes were made')
  defineOwnObjects(sites, 'server')
  expect(resourceNamed('sites')).toBe('site')
})
