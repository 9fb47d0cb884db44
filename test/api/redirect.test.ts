import { expect, test } from 'vitest'
import { mayFollowHandling } from '../../src/api/errors/status-failure.ts'
import type { Call, Method } from '../../src/api/transport/call.ts'

const BASE = new URL('https://crm.example/auth/api')

const isInDoubt = (method: Method, path: string, status: number, location: string) => {
  const call: Call = { method, path, action: 'write', command: 'crm', findCommand: undefined }
  return mayFollowHandling(call, { status, headers: { location }, body: Buffer.alloc(0) }, BASE)
}

test.each<[Method, string, string]>([
  ['POST', '/v1/contacts', 'http://crm.example/auth/api/v1/contacts'],
  ['POST', '/v1/contacts', 'http://10.0.0.7:3000/v1/contacts/con_9'],
  ['DELETE', '/v1/contacts/con_1', 'http://10.0.0.7:3000/v1/contacts'],
  ['DELETE', '/v1/contacts/con_1', '/auth/api/v1/contacts'],
  ['PATCH', '/v1/contacts/con_1', '/contacts/con_1'],
])('%s %s may be handled where it leads to %s', (method, path, location) => {
  for (const status of [301, 302, 303]) expect(isInDoubt(method, path, status, location)).toBe(true)
  for (const status of [300, 307, 308]) expect(isInDoubt(method, path, status, location)).toBe(false)
})

test.each<[Method, string, string]>([
  ['POST', '/v1/contacts', 'https://new.example/v1/contacts'],
  ['PATCH', '/v1/contacts/con_1', 'https://new.example/v1/contacts/con_1'],
  ['POST', '/v1/contacts', '/auth/login?next=/v1/contacts'],
  ['DELETE', '/v1/contacts/con_1', 'https://sso.example/realms/1/start'],
])('%s %s is not handled where it leads to %s', (method, path, location) => {
  for (const status of [301, 302, 303]) expect(isInDoubt(method, path, status, location)).toBe(false)
})

test('a read is never in doubt', () => {
  expect(isInDoubt('GET', '/v1/contacts', 302, '/contacts')).toBe(false)
})
