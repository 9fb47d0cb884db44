import { expect } from 'vitest'
import { crmPrints } from '../harness/crm.ts'
import { make } from '../harness/records.ts'
import { startService } from '../harness/service.ts'
import { test } from '../harness/shared-service.ts'

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
