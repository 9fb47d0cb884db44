import { expect, test } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { newKey, startService } from '../harness/service.ts'

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

/** A server of another kind, with these deals and no contacts. */
async function foreignDeals(deals: readonly object[]) {
  const data = deals.map((deal, at) => ({ id: `d${at}`, name: 'D', stage: 'Lead', ...deal }))
  const { url } = await startServer((response, { path }) => {
    if (path.startsWith('/v1/deals')) sendJson(response, 200, { data, next_cursor: null, has_more: false })
    else if (path.startsWith('/v1/contacts')) sendJson(response, 200, { data: [], next_cursor: null, has_more: false })
    else sendJson(response, 404, { message: 'not here' })
  })
  return { ...emptyHome(), CRM_BASE_URL: url.origin, CRM_API_KEY: newKey() }
}

test('reports say how many amounts are not numbers, and leave them out', async () => {
  const env = await foreignDeals([{ amount: '500.00', owner_id: 'u' }, { amount: '12 EUR', owner_id: 'u' }, {}])
  for (const name of ['owners', 'pipeline']) {
    const report = await crm(['report', name, '-o', 'csv', '--fields', 'deals,amount'], env)
    expect(report.stdout).toContain('500')
    expect(report.stderr).toContain('Not in the amounts: 1 value that is not a number.\n')
  }
})

test('the activity report says how many records it cannot count, and reads a time without a zone as UTC', async () => {
  const now = new Date().toISOString()
  const env = await foreignDeals([
    { created_at: now.slice(0, 19).replace('T', ' '), updated_at: now.slice(0, 19).replace('T', ' ') },
    { created_at: '01/02/2026', updated_at: now },
    { created_at: null, updated_at: null },
  ])
  const report = await crm(['report', 'activity', '--by', 'day', '--since', '1h', '-o', 'csv'], env)
  expect(report.stdout).toContain(`${now.slice(0, 10)},0,0,1,1\r\n`)
  expect(report.stderr).toBe(
    [
      'Not counted as created: 2 deals without a time in created_at.',
      'Not counted as changed: 1 deal without a time in updated_at.',
      '',
    ].join('\n'),
  )
})

test('a deal with a time that crm does not read is not stale, and a note counts it', async () => {
  const env = await foreignDeals([{ updated_at: '01/02/2026' }, { updated_at: '2026-01-02 00:00:00' }])
  const stale = await crm(['deals', 'stale', '--for', '1d', '-o', 'id'], env)
  expect(stale).toMatchObject({ exit: 0, stdout: 'd1\n' })
  expect(stale.stderr).toContain('Left out: 1 deal without a time of the last change.')
})
