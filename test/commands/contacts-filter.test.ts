import { expect } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { test } from '../harness/shared-service.ts'

const PEOPLE = [
  { id: 'con_1', name: 'Ada', company: 'Acme' },
  { id: 'con_2', name: 'Grace', company: 'Navy' },
]

async function envOf(answer: Parameters<typeof startServer>[0]) {
  const { url } = await startServer(answer)
  return emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'crm_key_0123456789' })
}

test('contacts list --filter lets the server choose', async ({ service }) => {
  for (const { name, company } of PEOPLE) {
    await crmPrints(['contacts', 'create', '--data', JSON.stringify({ name, company })], service.env)
  }
  const args = ['contacts', 'list', '--filter', 'company=Acme', '-o', 'json']
  expect(JSON.parse(await crmPrints(args, service.env))).toMatchObject([{ name: 'Ada' }])
})

test('a filter that the connector does not have ends with the same choice for --where', async ({ service }) => {
  const { exit, stderr } = await crm(['contacts', 'list', '--filter', 'tier=gold'], service.env)
  expect(exit).toBe(7)
  expect(stderr).toContain(`crm contacts list --where '.tier == "gold"'`)
})

test('a filter that the server ignores is an error that names --where, not a list of everything', async () => {
  const env = await envOf((response) => sendJson(response, 200, { data: PEOPLE, next_cursor: null, has_more: false }))
  const { exit, stderr } = await crm(['contacts', 'list', '--filter', 'company=Acme', '-o', 'id'], env)
  expect(exit).toBe(7)
  expect(stderr).toContain('the server does not apply the filter company: the company of contact con_2 is "Navy"')
  expect(stderr).toContain(`crm contacts list --where '.company == "Acme"'`)
})
