import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

async function createAt(json: unknown, flags: readonly string[]) {
  const { url, seen } = await startServer((response) => sendJson(response, 201, json))
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k' })
  const run = await crm(['contacts', 'create', '--set', 'name=x', ...flags], env)
  return { ...run, key: seen[0]?.headers['idempotency-key'] }
}

test('create -o id on a server whose records have no id says that it is done, and under which key it may be repeated', async () => {
  const { exit, stdout, stderr, key } = await createAt({ contact_id: 7 }, ['-o', 'id'])
  expect({ exit, stdout }).toEqual({ exit: 7, stdout: '' })
  expect(stderr).toContain('confirmed "create the contact" (201) without one: {"contact_id":7}')
  expect(stderr).toContain(`crm contacts create ... --idempotency-key ${key} -o json`)
})

test('an error that is answered with success is no record', async () => {
  const { exit, stdout, stderr } = await createAt({ error: { code: 'nope', message: 'boom' } }, ['-o', 'json'])
  expect({ exit, stdout }).toEqual({ exit: 7, stdout: '' })
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'rejected', message: 'cannot create the contact: boom (201)' })
})

test('an answer that is neither a record nor a refusal is in doubt', async () => {
  const { exit, stdout, stderr } = await createAt({ ok: true }, ['-o', 'json'])
  expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' })
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'in_doubt', hint: expect.stringContaining('check before') })
})

test.each([
  [{ secret: 'whsec_theirs' }, 'Keep the secret: the server does not show it again.\n'],
  [{}, ''],
])('webhooks create says to keep a secret only if the server sent one: %j', async (more, note) => {
  const webhook = { id: 'wh_1', url: 'http://127.0.0.1:1/hook', events: ['*'], ...more }
  const { url } = await startServer((response) => sendJson(response, 201, webhook))
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k' })
  const { exit, stderr } = await crm(['webhooks', 'create', '--url', webhook.url, '--events', '*', '-o', 'json'], env)
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: note })
})
