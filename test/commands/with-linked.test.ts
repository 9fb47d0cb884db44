import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { startService } from '../harness/service.ts'

async function start() {
  const { env } = await startService()
  const made = async (...words: string[]) => JSON.parse(await crmPrints([...words, '-o', 'json'], env)).id as string
  const acme = await made('companies', 'create', '--set', 'name=Acme', '--set', 'domain=acme.test')
  const ada = await made('contacts', 'create', '--set', 'name=Ada', '--set', `company_id=${acme}`)
  const bob = await made('contacts', 'create', '--set', 'name=Bob')
  const deal = await made(
    'deals',
    'create',
    '--data',
    JSON.stringify({ name: 'Fleet', stage: 'Lead', contact_ids: [ada, bob] }),
  )
  return { env, acme, ada, bob, deal }
}

test('--with shows the records that fields refer to in lists and in get', async () => {
  const { env, acme, ada, bob, deal } = await start()
  const json = async (...words: string[]) => JSON.parse(await crmPrints([...words, '-o', 'json'], env))
  const people = ['contacts', 'list', '--with', 'company', '--sort', 'name']
  expect(await json(...people)).toMatchObject([
    { name: 'Ada', company_id: acme, linked: { company: { id: acme, name: 'Acme', domain: 'acme.test' } } },
    { name: 'Bob', linked: { company: null } },
  ])
  expect(await crmPrints([...people, '--fields', 'name,linked.company.domain', '-o', 'csv'], env)).toBe(
    'name,linked.company.domain\r\nAda,acme.test\r\nBob,\r\n',
  )
  expect(await json(...people, '--where', '.linked.company.domain == "acme.test"')).toMatchObject([{ id: ada }])
  expect(await json('deals', 'get', deal, '--with', 'contacts')).toMatchObject({
    id: deal,
    linked: {
      contacts: [
        { id: ada, name: 'Ada' },
        { id: bob, name: 'Bob' },
      ],
    },
  })
  expect(await json('contacts', 'get', ada, bob, '--with', 'company')).toMatchObject([
    { linked: { company: { id: acme } } },
    {},
  ])
  expect(await crmPrints(['deals', 'list', '--with', 'contacts'], env)).toContain('Ada, Bob')
  const where = ['contacts', 'list', '--with', 'company', '--where', `.company_id == "${acme}"`]
  expect(await crmPrints(where, env)).toMatch(/ Ada .* Acme /)
  const summary = await crm(['contacts', 'list', '--with', 'company', '--summary', 'company_id'], env)
  expect([summary.exit, summary.stderr]).toEqual([2, expect.stringContaining('--with does not apply to --summary')])
})

test('a record that does not exist any more is its id alone, and a wrong name is answered with the nearest', async () => {
  const { env, acme, ada } = await start()
  await crmPrints(['companies', 'delete', acme, '--yes'], env)
  const shown = await crmPrints(['contacts', 'get', ada, '--with', 'company', '-o', 'json'], env)
  expect(JSON.parse(shown).linked.company).toEqual({ id: acme })
  const { exit, stderr } = await crm(['contacts', 'list', '--with', 'compny'], env)
  expect([exit, stderr]).toEqual([2, expect.stringContaining('--with company\n')])
})
