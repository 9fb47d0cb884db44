import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { newKey } from '../harness/service.ts'

/** A server that ignores If-Match, with one contact. */
async function ignoringServer(contact: object) {
  const writes: string[] = []
  const { url } = await startServer((response, { method, path }) => {
    if (/^(?:PATCH|DELETE)$/.test(method)) writes.push(`${method} ${path}`)
    if (method === 'GET' && path === '/v1/contacts/c1') sendJson(response, 200, contact)
    else if (method === 'PATCH') sendJson(response, 200, { ...contact, name: 'Bea' })
    else if (method === 'DELETE') sendJson(response, 204, undefined)
    else sendJson(response, 404, { message: 'not here' })
  })
  const env = { ...emptyHome(), CRM_BASE_URL: url.origin, CRM_API_KEY: newKey() }
  return { writes, crm: (...argv: readonly string[]) => crm(argv, env) }
}

const UPDATE = ['contacts', 'update', 'c1', '--set', 'name=Bea', '--if-match'] as const
const DELETE = ['contacts', 'delete', 'c1', '--yes', '--if-match'] as const

test.each([
  ['update', [...UPDATE, '3']],
  ['update --dry-run', [...UPDATE, '"3"', '--dry-run']],
  ['delete', [...DELETE, '3']],
  ['delete --dry-run', [...DELETE, '3', '--dry-run']],
])('%s of a record with another version sends nothing to a server that ignores the header', async (_, argv) => {
  const server = await ignoringServer({ id: 'c1', name: 'Ada', version: 5 })
  const refused = await server.crm(...argv)
  expect(refused).toMatchObject({ exit: 7, stdout: '' })
  expect(refused.stderr).toContain('the record is at version 5, expected 3; nothing was sent\n  crm contacts get c1\n')
  expect(server.writes).toEqual([])
})

test('a record with the expected version is written, without a note', async () => {
  const server = await ignoringServer({ id: 'c1', name: 'Ada', version: '3' })
  expect(await server.crm(...UPDATE, '3', '-o', 'id')).toEqual({ exit: 0, stdout: 'c1\n', stderr: '' })
  expect(await server.crm(...DELETE, '3')).toEqual({ exit: 0, stdout: '', stderr: 'Deleted contact c1.\n' })
  expect(server.writes).toEqual(['PATCH /v1/contacts/c1', 'DELETE /v1/contacts/c1'])
})

test.each([
  ['a record without a version', { id: 'c1' }, '3'],
  ['a tag that is no number', { id: 'c1', version: 5 }, '"a1b2"'],
])('a note says that %s cannot be compared', async (_, contact, tag) => {
  const server = await ignoringServer(contact)
  const done = await server.crm(...UPDATE, tag, '-o', 'id')
  expect(done.exit).toBe(0)
  expect(done.stderr).toContain('with contact c1: whether it counts is left to the server.')
})

test('with the idempotency key of an earlier try, the server decides', async () => {
  const server = await ignoringServer({ id: 'c1', name: 'Bea', version: 4 })
  expect((await server.crm(...UPDATE, '3', '--idempotency-key', 'k1')).exit).toBe(0)
})
