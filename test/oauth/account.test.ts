import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { startSalesforce } from '../connectors/emulators/salesforce.ts'
import { startZoho } from '../connectors/emulators/zoho.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

async function accountOf(server: { readonly url: string; readonly key: string }, connector: string) {
  const env = { ...emptyHome(), CRM_BASE_URL: server.url, CRM_API_KEY: server.key, CRM_CONNECTOR: connector }
  const { exit, stdout, stderr } = await crm(['auth', 'status', '-o', 'json'], env)
  // The names are of the status, and no fields of contacts to ask for.
  const one = await crm(['auth', 'status', '-o', 'json', '--fields', 'account'], env)
  expect([one.exit, JSON.parse(one.stdout)]).toEqual([0, { account: JSON.parse(stdout).account }])
  return [exit, JSON.parse(stdout).account, /does not state this.*account/.test(stderr)]
}

test.each([
  ['salesforce', () => startSalesforce(), 'admin@acme.example'],
  ['zoho', () => startZoho(), 'admin@crm.example'],
])('status says whose the token is at %s', async (connector, start, account) => {
  const emulator = await start()
  onTestFinished(() => emulator[Symbol.asyncDispose]())
  expect(await accountOf(emulator, connector)).toEqual([0, account, false])
})

test.each([403, 404])('a key that may not ask whose it is (%i) is still in use', async (status) => {
  const { url } = await startServer((response, { path }) =>
    path.startsWith('/v1/me')
      ? sendJson(response, status, { detail: 'no' })
      : sendJson(response, 200, { data: [], next_cursor: null }),
  )
  const file = join(emptyHome().HOME ?? '', 'own.yaml')
  writeFileSync(file, 'connector: 2\nname: own\nextends: contract\naccount: { path: /v1/me, name: [email] }\n')
  expect(await accountOf({ url: url.href, key: 'a-key' }, file)).toEqual([0, null, true])
})
