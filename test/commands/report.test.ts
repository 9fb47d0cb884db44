import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { make } from '../harness/records.ts'
import { startService } from '../harness/service.ts'

async function withDeals() {
  const service = await startService()
  const deal = (stage: string, owner?: string, amount?: number) => ({
    name: 'D',
    stage,
    ...(owner !== undefined && { owner_id: owner }),
    ...(amount !== undefined && { amount }),
  })
  await make(service, '/v1/deals', [
    deal('Lead', 'u_1', 0.1),
    deal('Lead', 'u_1', 0.2),
    deal('Won', 'u_1', 10),
    deal('Proposal', 'u_2', 7),
    deal('Lost', 'u_2'),
    deal('Lead'),
  ])
  return service
}

test('the pipeline report has every stage in its order, exact amounts weighted by probability, and a funnel', async () => {
  const { env } = await withDeals()
  expect(await crmPrints(['report', 'pipeline', '-o', 'csv'], env)).toBe(
    [
      'pipeline_id,stage,deals,amount,probability,weighted',
      'sales,Lead,3,0.3,0.1,0.03',
      'sales,Qualified,0,0,0.25,0',
      'sales,Proposal,1,7,0.5,3.5',
      'sales,Negotiation,0,0,0.75,0',
      'sales,Won,1,10,1,10',
      'sales,Lost,1,0,0,0',
      '',
    ].join('\r\n'),
  )
  const table = await crmPrints(['report', 'pipeline'], env)
  expect(table).toMatch(/Lead .* {2}█{30}$/m)
  expect(table).toMatch(/Proposal .* {12}█{10}$/m)
  const [first] = JSON.parse(await crmPrints(['report', 'pipeline', '-o', 'json', '--filter', 'stage=Won'], env))
  expect(first).toMatchObject({ stage: 'Lead', deals: 0 })
})

test('the owners report divides the deals of each owner into open and won, the largest open amount first', async () => {
  const { env } = await withDeals()
  const rows = JSON.parse(await crmPrints(['report', 'owners', '-o', 'json'], env))
  expect(rows.map(({ last_change: _, ...row }: Record<string, unknown>) => Object.values(row))).toEqual([
    ['u_2', 2, 7, 1, 7, 0, 0],
    ['u_1', 3, 10.3, 2, 0.3, 1, 10],
    [null, 1, 0, 1, 0, 0, 0],
  ])
  expect(rows[0].last_change).toMatch(/^20\d\d-/)
  expect(await crmPrints(['report', 'owners'], env)).toMatch(/u_2 .*█{24}$/m)
})

test('deals of which none has an owner are one row, with a note', async () => {
  const service = await startService()
  await make(service, '/v1/deals', [{ name: 'D', stage: 'Lead' }])
  const report = await crm(['report', 'owners', '-o', 'csv', '--fields', 'owner_id,deals'], service.env)
  expect(report).toMatchObject({ exit: 0, stdout: 'owner_id,deals\r\n,1\r\n' })
  expect(report.stderr).toContain('No deal has owner_id.')
})

test('the activity report counts what was created and changed in each period, those without any too', async () => {
  const service = await withDeals()
  const [id = ''] = await make(service, '/v1/contacts', [{ name: 'A' }])
  await crmPrints(['contacts', 'update', id, '--set', 'name=B'], service.env)
  const args = ['report', 'activity', '--by', 'day', '--since', '48h', '-o']
  const rows = JSON.parse(await crmPrints([...args, 'json'], service.env))
  expect(rows).toHaveLength(3)
  expect(rows.at(-1)).toMatchObject({ contacts_created: 1, contacts_changed: 1, deals_created: 6, deals_changed: 0 })
  expect(rows[0]).toEqual({ day: expect.any(String), ...NOTHING })
  const refused = await crm(['report', 'activity', '--since', '48'], service.env)
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('such as 90d') })
})

const NOTHING = { contacts_created: 0, contacts_changed: 0, deals_created: 0, deals_changed: 0 }
