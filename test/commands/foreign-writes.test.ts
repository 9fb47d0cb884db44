import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm, crmHurried } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

async function createAt(json: unknown, flags: readonly string[], status = 201, headers: Record<string, string> = {}) {
  const { url, seen } = await startServer((response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    sendJson(response, status, json)
  })
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'k' })
  const run = await crmHurried(['contacts', 'create', '--set', 'name=x', ...flags], env)
  return { ...run, key: seen.find(({ method }) => method === 'POST')?.headers['idempotency-key'] }
}

const KEEPS = { 'idempotency-policy': '"default";w=86400' }

// A server that ignores the key would make a second record.
test.each([
  ['an id that is no line', { id: 'a\nb' }, 201, ['-o', 'id']],
  ['no record', { ok: true }, 201, []],
  ['a failure after which it may be done', { detail: 'down' }, 500, []],
])(
  'an answer with %s suggests a repetition with its key only where keys are known to be kept',
  async (_, json, status, flags) => {
    const unknown = await createAt(json, flags, status)
    expect(unknown.key).toBeDefined()
    expect(unknown.stderr).not.toContain('--idempotency-key')
    const keeping = await createAt(json, flags, status, KEEPS)
    expect(keeping.stderr).toContain(`crm contacts create ... --idempotency-key ${keeping.key}`)
  },
)

test('errors that are answered with success are a refusal', async () => {
  const { exit, stdout, stderr } = await createAt({ errors: [{ code: 'nope', message: 'boom' }] }, ['-o', 'json'])
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
