import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { all, make } from '../harness/records.ts'
import { startService } from '../harness/service.ts'
import { ask } from './emulators/ask.ts'
import { startHubSpot } from './emulators/hubspot.ts'

// Associations of HubSpot in a migration: to another portal, with labels, and to fields of crm serve.

const HUBSPOT = { path: '/crm/v3', flags: ['--connector', 'hubspot'] }

type Server = Readonly<Record<'url' | 'key', string>>

async function between(to: 'hubspot' | 'crm', other: Server) {
  const env = emptyHome()
  const login = async (profile: string, { url, key }: Server, { path, flags } = HUBSPOT) => {
    const words = ['auth', 'login', '--base-url', url + path, '--storage', 'file', '--key-stdin', '-p', profile]
    await crmPrints([...words, ...flags], env, key)
  }
  const from = await startHubSpot({})
  await login('old', from)
  await login('new', other, to === 'hubspot' ? HUBSPOT : { path: '', flags: [] })
  const label = async (server: Server, name: string) => {
    const headers = { authorization: `Bearer ${server.key}` }
    await ask(server.url, 'POST /crm/v4/associations/contacts/deals/labels', { json: { label: name, name }, headers })
  }
  const load = async (noun: string, ...lines: readonly string[]) => {
    const file = join(env.HOME ?? '', `${noun}.csv`)
    writeFileSync(file, `${lines.join('\n')}\n`)
    await crmPrints([noun, 'import', file, '--yes', '-p', 'old'], env)
  }
  await label(from, 'Buyer')
  await label(from, 'Judge')
  if (to === 'hubspot') await label(other, 'Buyer')
  await load('companies', 'name,domain', 'Acme,acme.test', 'Bolt,bolt.test')
  await load('deals', 'name,stage,pipeline_id', 'Fleet,Stage 1,default')
  await load(
    'contacts',
    'email,companies.domain,deals[Buyer].name,deals[Judge].name',
    'ada@x.test,acme.test,Fleet,',
    'bob@x.test,acme.test;bolt.test,,Fleet',
  )
  const words = ['migrate', '--from', 'old', '--to', 'new', '--yes', '-o', 'json']
  const list = async (...args: readonly string[]) =>
    JSON.parse(await crmPrints([...args, '-p', 'new', '-o', 'json'], env))
  return { env, words, list }
}

test('links are carried to another portal with the labels that it has, once', async () => {
  const { env, words, list } = await between('hubspot', await startHubSpot({}))
  const only = [...words, '--only', 'contacts,companies,deals']
  const { exit, stderr, stdout } = await crm(only, env)
  expect([exit, stderr]).toEqual([0, expect.stringContaining('Not carried over, of contacts: links in ticket_ids\n')])
  expect(stderr).toContain('Not carried over, of contacts: deal_ids (1)\n')
  expect(JSON.parse(stdout)).toHaveLength(3)
  for (const row of JSON.parse(stdout)) expect(row).toMatchObject({ equal: row.source, different: 0, missing: 0 })
  const [deal] = await list('deals', 'list', '--fields', 'id,contact_ids')
  const companies = await list('companies', 'list', '--fields', 'id,domain')
  const domainOf = new Map(companies.map(({ id, domain }: Record<string, string>) => [id, domain]))
  const contacts = await list('contacts', 'list', '--fields', 'email,company_ids,deal_ids', '--sort', 'email')
  const shown = contacts.map(({ email, company_ids: ids, deal_ids: deals }: Record<string, string[]>) => [
    ...[email, ids?.map((id) => domainOf.get(id)).sort(), deals],
  ])
  expect(shown).toEqual([
    ['ada@x.test', ['acme.test'], [deal.id, `${deal.id}[Buyer]`]],
    ['bob@x.test', ['acme.test', 'bolt.test'], [deal.id]],
  ])
  const again = JSON.parse(await crmPrints(only, env))
  for (const row of again) expect(row).toMatchObject({ migrated: row.source, equal: row.source, failed: 0 })
  expect(await list('contacts', 'list')).toHaveLength(2)
})

test('crm serve gets the links that its fields have room for, and the others are counted', async () => {
  const other = await startService()
  const { env, words } = await between('crm', other)
  const only = [...words, '--only', 'contacts,companies,deals', '--map-stage', 'Stage 1=lead']
  const { exit, stderr } = await crm(only, env)
  expect([exit, stderr]).toEqual([0, expect.stringContaining('Not carried over, of contacts: company_ids (1)')])
  const [acme] = (await all(other, '/v1/companies')).filter(({ domain }) => domain === 'acme.test')
  const people = (await all(other, '/v1/contacts')).map(({ email, company_id: id }) => [email, id])
  expect(people.sort()).toEqual([
    ['ada@x.test', acme?.id],
    ['bob@x.test', undefined],
  ])
  const [deal] = await all(other, '/v1/deals')
  expect(deal?.contact_ids).toHaveLength(2)
})

test('the reference of a record of crm serve becomes a link of HubSpot', async () => {
  const [from, other] = [await startService(), await startHubSpot({})]
  const env = emptyHome()
  const [acme = ''] = await make(from, '/v1/companies', [{ name: 'Acme' }])
  const [ada = ''] = await make(from, '/v1/contacts', [
    { name: 'Ada', email: 'ada@x.test', company_id: acme },
    { name: 'Bob' },
  ])
  await make(from, '/v1/deals', [{ name: 'Fleet', stage: 'Lead', contact_ids: [ada] }])
  const login = ['auth', 'login', '--storage', 'file', '--key-stdin', '--base-url']
  await crmPrints([...login, from.url, '-p', 'old'], env, from.key)
  await crmPrints([...login, `${other.url}/crm/v3`, '-p', 'new', '--connector', 'hubspot'], env, other.key)
  const only = ['--only', 'contacts,companies,deals', '--map-stage', 'Lead=Sales Pipeline/Stage 1', '-o', 'json']
  const rows = JSON.parse(await crmPrints(['migrate', '--from', 'old', '--to', 'new', '--yes', ...only], env))
  for (const row of rows) expect(row).toMatchObject({ equal: row.source, missing: 0 })
  const names = (noun: string) => other.records(noun).map(({ id }) => id)
  const list = [
    'contacts',
    'list',
    '--fields',
    'name,company_ids,deal_ids',
    '--sort',
    'name',
    '-p',
    'new',
    '-o',
    'json',
  ]
  expect(JSON.parse(await crmPrints(list, env))).toEqual([
    { name: 'Ada', company_ids: names('companies'), deal_ids: names('deals') },
    { name: 'Bob', company_ids: [], deal_ids: [] },
  ])
})
