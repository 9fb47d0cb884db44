import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

test('a profile without a key describes the server of CRM_BASE_URL if CRM_PROFILE names it; config reports when it does not', async () => {
  const { url: address } = await startServer((response) =>
    sendJson(response, 200, { people: [{ id: '1' }], done: true }),
  )
  const url = address.href
  const home = emptyHome()
  const env = { ...home, CRM_CONFIG_HOME: join(home.HOME, '.crm'), CRM_API_KEY: 'k' }
  await crmPrints(['config', 'set', 'base_url', url, '-p', 'ci'], env)
  await crmPrints(['config', 'set', 'wire.items_path', 'people', '-p', 'ci'], env)
  const there = { ...env, CRM_BASE_URL: url }
  const named = { ...there, CRM_PROFILE: 'ci' }
  expect(await crmPrints(['contacts', 'list', '-o', 'id'], named)).toBe('1\n')
  expect((await crm(['config', 'list', '-o', 'json'], named)).stderr).toBe('')
  expect((await crm(['contacts', 'list', '-o', 'id'], there)).exit).toBe(7)
  const { exit, stderr } = await crm(['config', 'list', '-p', 'ci'], there)
  expect({ exit, stderr: stderr.trim() }).toEqual({
    exit: 0,
    stderr: `Requests go to ${new URL(url).origin} (CRM_BASE_URL), not to the server of profile ci; CRM_PROFILE=ci makes these settings apply there.`,
  })
  const elsewhere = { ...named, CRM_BASE_URL: 'https://other.example.com' }
  expect((await crm(['config', 'set', 'wire.page_size', '5'], elsewhere)).stderr).toContain(
    'CRM_PROFILE can name a profile with base_url https://other.example.com',
  )
})
