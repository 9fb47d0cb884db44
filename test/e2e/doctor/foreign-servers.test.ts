import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { DIALECTS, startLimitedApp } from '../../api/limited-app.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { type Env, emptyHome, tempFolder } from '../../harness/home.ts'
import { newKey } from '../../harness/service.ts'
import { examined } from './examined.ts'
import { startJsonServer } from './foreign-processes.ts'

const keyed = (url: URL): Env => emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: newKey() })

test.each(DIALECTS)('the limit of an express app is read in its dialect: %s', async (dialect) => {
  const { url } = await startLimitedApp(dialect, 250, 60_000)
  const names = {
    'draft-6': /^RateLimit-\*: .*ratelimit-limit: 250/,
    'draft-7': /^RateLimit \(draft 7\): .*limit=250, remaining=\d+/,
    'draft-8': /^RateLimit \(draft 8\): .*r=\d+; t=\d+/,
    legacy: /^X-RateLimit-\*: x-ratelimit-limit: 250/,
  }
  const { exit, seen } = await examined(keyed(url))
  expect(exit).toBe(0)
  expect(seen('limits')).toMatch(names[dialect])
})

test('a key that the server quotes is not shown, so that what doctor prints can be passed on', async () => {
  const { url } = await startServer((response, { headers }) =>
    sendJson(response, 401, { message: `no such key: ${headers.authorization}` }),
  )
  const env = keyed(url)
  const { exit, stdout, stderr } = await crm(['doctor'], env)
  expect(exit).toBe(4)
  expect(stdout).toContain('no such key: Bearer [redacted]')
  expect(stdout + stderr).not.toContain(env.CRM_API_KEY)
})

test('json-server is not what the connector says: doctor is exit 7, and the command that it names reads it', async () => {
  const people = Array.from({ length: 27 }, (_, n) => ({ id: `p${n}`, name: `P ${n}`, email: `p${n}@x.test` }))
  const { url } = await startJsonServer({ contacts: people })
  const env = keyed(new URL(url))
  const first = await crm(['doctor'], { ...env, CRM_BASE_URL: url })
  expect(first).toMatchObject({ exit: 6, stdout: expect.stringContaining('records') })
  const file = join(tempFolder(), 'my.yaml')
  const made = await crm(['connectors', 'create', '--probe', url, '--resource', 'deals=none', '--out', file], env)
  expect(made, made.stderr).toMatchObject({ exit: 0 })
  const list = ['contacts', 'list', '-o', 'id']
  const ids = people.map(({ id }) => `${id}\n`).join('')
  expect(await crmPrints(list, { ...env, CRM_CONNECTOR: file })).toBe(ids)
})
