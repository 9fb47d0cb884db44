import { expect } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { make } from '../harness/records.ts'
import { startService } from '../harness/service.ts'
import { test } from '../harness/shared-service.ts'

async function withDeals() {
  const service = await startService()
  const deal = (stage: string, owner: string, amount?: number) => ({
    name: 'D',
    stage,
    owner_id: owner,
    ...(amount !== undefined && { amount }),
  })
  await make(service, '/v1/deals', [
    deal('Lead', 'u_1', 0.1),
    deal('Lead', 'u_1', 0.2),
    deal('Lead', 'u_2', 4),
    deal('Won', 'u_1', 10),
    deal('Won', 'u_2'),
  ])
  const json = async (...words: string[]) =>
    JSON.parse(await crmPrints(['deals', 'list', ...words, '-o', 'json'], service.env))
  return { ...service, json }
}

test('a summary takes several members and measures, exactly, and null is a measure of no number', async () => {
  const { json } = await withDeals()
  const measures = 'count,sum(amount),avg(amount),median(amount),min(amount),max(amount)'
  const rows = await json('--summary', 'stage,owner_id', '--measures', measures, '--sort', 'owner_id')
  expect(rows.map((row: object) => Object.values(row))).toEqual([
    ['Won', 'u_1', 1, 10, 10, 10, 10, 10],
    ['Lead', 'u_1', 2, 0.3, 0.15, 0.15, 0.1, 0.2],
    ['Won', 'u_2', 1, 0, null, null, null, null],
    ['Lead', 'u_2', 1, 4, 4, 4, 4, 4],
  ])
})

test('--sort orders by a column, --top cuts and says so, and bars follow the order', async () => {
  const { env, json } = await withDeals()
  expect(await json('--summary', 'stage', '--sort', 'count')).toEqual([
    { stage: 'Won', count: 2, amount: 10 },
    { stage: 'Lead', count: 3, amount: 4.3 },
  ])
  const top = await crm(['deals', 'list', '--summary', 'stage', '--sort', '-count', '--top', '1'], env)
  expect(top).toMatchObject({ exit: 0, stderr: 'The first 1 of 2 rows.\n' })
  expect(top.stdout).toMatch(/Lead +3 +4\.3 +█{24}\n$/)
})

test('contacts are counted by a member', async () => {
  const service = await startService()
  await make(service, '/v1/contacts', [{ name: 'A', company: 'Orbit' }, { name: 'B', company: 'Orbit' }, { name: 'C' }])
  const printed = await crmPrints(['contacts', 'list', '--summary', 'company', '-o', 'csv'], service.env)
  expect(printed).toBe('company,count\r\nOrbit,2\r\n,1\r\n')
})

test('a wrong measure, column or flag is refused before a summary is printed', async () => {
  const { env } = await withDeals()
  const refused = (...words: string[]) => crm(['deals', 'list', ...words], env)
  const exit = 2
  expect(await refused('--summary', 'stage', '--measures', 'mode(amount)')).toMatchObject({
    exit,
    stderr: expect.stringContaining('median(MEMBER)'),
  })
  expect(await refused('--summary', 'stage', '--sort', 'amout')).toMatchObject({
    exit,
    stdout: '',
    stderr: expect.stringContaining('stage, count, amount'),
  })
  expect(await refused('--top', '3')).toMatchObject({ exit, stderr: expect.stringContaining('--summary MEMBER') })
  expect(await refused('--summary', 'stage,stage')).toMatchObject({
    exit,
    stderr: expect.stringContaining('each once'),
  })
})

test('deals list --summary counts and sums what --where leaves; only people see bars', async () => {
  const service = await startService()
  const deal = (stage: string, amount: number) => ({ name: 'Deal', stage, amount })
  await make(service, '/v1/deals', [deal('Lead', 10), deal('Lead', 20), deal('Won', 60), deal('Lost', 5)])
  const args = ['deals', 'list', '--summary', 'stage', '--where', '.stage != "Lost"']
  expect(JSON.parse(await crmPrints([...args, '-o', 'json'], service.env))).toEqual([
    { stage: 'Won', count: 1, amount: 60 },
    { stage: 'Lead', count: 2, amount: 30 },
  ])
  const bar = '█'
  expect(await crmPrints(args, service.env)).toMatch(new RegExp(`Won +1 +60 +${bar}{24}\\nLead +2 +30 +${bar}{12}\\n`))
})
