import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

/** A server that deletes whatever it is asked to, as a profile. */
async function startWith(isProtected: boolean) {
  const { url, seen } = await startServer((response, { method }) => {
    if (method === 'GET') sendJson(response, 200, { data: [], next_cursor: null })
    else response.writeHead(204).end()
  })
  const env = emptyHome({})
  const login = ['auth', 'login', '--base-url', url.origin, '--storage', 'file', '--key-stdin', '-p', 'prod']
  const { exit, stderr } = await crm([...login, ...(isProtected ? ['--protected'] : [])], env, 'k_0123456789')
  expect(exit, stderr).toBe(0)
  return { env, deleted: () => seen.filter(({ method }) => method === 'DELETE').length }
}

test('several records are deleted with --yes and their very number alone', async () => {
  const { env, deleted } = await startWith(false)
  for (const more of [[], ['--yes'], ['--yes', '--expect', '1'], ['--yes', '--expect', '3']]) {
    const { exit } = await crm(['contacts', 'delete', 'c_1', 'c_2', ...more], env)
    expect([exit, deleted()], more.join(' ')).toEqual([11, 0])
  }
  expect((await crm(['contacts', 'delete', 'c_1', 'c_2', '--yes', '--expect', '2'], env)).exit).toBe(0)
  expect(deleted()).toBe(2)
})

test('refusals and snapshots name the base URL with its path', async () => {
  const { url } = await startServer((response) => sendJson(response, 200, { data: [], next_cursor: null }))
  const env = emptyHome({ CRM_API_KEY: 'k_0123456789', CRM_BASE_URL: `${url.origin}/tenant` })
  const refused = await crm(['contacts', 'delete', 'c_1'], env)
  expect(refused.stderr).toContain(`deleting contact c_1 from ${url.origin}/tenant cannot be undone`)
  expect((await crm(['snapshot'], env)).stdout).toContain(`"server":"${url.origin}/tenant"`)
})

test('one record needs --yes, on a protected profile its number too', async () => {
  const open = await startWith(false)
  expect((await crm(['contacts', 'delete', 'c_1'], open.env)).exit).toBe(11)
  expect((await crm(['contacts', 'delete', 'c_1', '--yes'], open.env)).exit).toBe(0)
  expect(open.deleted()).toBe(1)
  const { env, deleted } = await startWith(true)
  expect((await crm(['contacts', 'delete', 'c_1', '--yes'], env)).exit).toBe(11)
  expect(deleted()).toBe(0)
  expect((await crm(['contacts', 'delete', 'c_1', '--yes', '--expect', '1'], env)).exit).toBe(0)
  expect(deleted()).toBe(1)
})
