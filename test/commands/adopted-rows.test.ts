import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { startRun } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { hurriedTiming } from '../harness/hurried-timing.ts'

const ADA = { name: 'Ada', email: 'ada@x.test' }

/** Imports into a server without creation times, whose first create gets no answer; `isMade`: it took effect. */
async function imported(rows: string, existing: JsonObject, isMade: boolean) {
  const contacts: JsonObject[] = [{ id: 'old', ...existing }]
  let creates = 0
  const { url } = await startServer((response, { method, body }) => {
    if (method === 'GET') return sendJson(response, 200, { data: contacts })
    creates += 1
    if (creates > 1 || isMade) contacts.push({ id: `new${creates}`, ...JSON.parse(body) })
    if (creates > 1) sendJson(response, 201, contacts.at(-1))
    else response.destroy()
  })
  const env = emptyHome({ CRM_BASE_URL: url.origin, CRM_API_KEY: 'k' })
  const connector = join(env.HOME, 'lab.yaml')
  const verbs = "verbs: { list: { items: 'data[]' }, create: {} }"
  writeFileSync(
    connector,
    `connector: 2\nname: lab\nidempotency: none\npaging: none\nobjects: { contacts: { ${verbs} } }\n`,
  )
  const argv = ['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes', '-o', 'json']
  const { exit, written } = startRun(
    argv,
    { ...env, CRM_CONNECTOR: connector },
    { stdin: rows, timing: hurriedTiming() },
  )
  await exit
  return { account: JSON.parse(written.stdout) as JsonObject, contacts }
}

test('a create without an answer is found by its record where no equal one was there before', async () => {
  const { account, contacts } = await imported(
    'name,email\nAda,ada@x.test\n',
    { name: 'Eve', email: 'eve@x.test' },
    true,
  )
  expect(account).toMatchObject({ done: 1, in_doubt: 0 })
  expect(contacts).toHaveLength(2)
})

test.each([
  ['has left another row unchanged', 'name,email\nAda,ada@x.test\nAda,ada@x.test\n', ADA],
  ['was listed under an email that the row lacks', 'name\nAda\n', ADA],
])('a record that %s is not adopted for a row whose create had no effect', async (_, rows, existing) => {
  const { account } = await imported(rows, existing, false)
  expect(account).toMatchObject({ done: 0, in_doubt: 1 })
})
