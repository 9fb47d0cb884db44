import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from 'crm-cli'
import { startSandbox } from 'crm-cli/sandbox'
import { expect, onTestFinished, test } from 'vitest'
import { welcome } from '../src/welcome.js'

if (!process.env.ADA_ID) throw new Error('these tests need a CRM of their own: npm run test:sandbox')

const { CRM_BASE_URL: baseUrl, CRM_API_KEY: apiKey, ADA_ID } = process.env
const crm = (...args) => spawnSync('crm', args, { encoding: 'utf8' })

test('welcoming changes one contact and opens one deal, and nothing else', async () => {
  const client = createClient({ baseUrl, apiKey })
  const folder = mkdtempSync(join(tmpdir(), 'app-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const before = join(folder, 'before.ndjson')
  writeFileSync(before, crm('snapshot').stdout)
  await welcome(client, ADA_ID)
  const { status, stdout } = crm('diff', before, 'live', '-o', 'json')
  expect(status).toBe(10)
  expect(JSON.parse(stdout)).toMatchObject([
    { change: 'changed', type: 'contact', name: 'Ada Lovelace', fields: { welcomed: { from: null, to: true } } },
    { change: 'added', type: 'deal', name: 'Welcome Ada Lovelace' },
  ])
  await client.close()
})

test('listeners receive the deal', async () => {
  const words = [
    'deal.created',
    '--port',
    '0',
    '--subscribe',
    '--run',
    `node src/main.js ${ADA_ID}`,
    '--timeout',
    '20s',
  ]
  const { stdout } = await promisify(execFile)('crm', ['webhooks', 'wait', ...words, '-o', 'jsonl'])
  expect(JSON.parse(stdout)).toMatchObject({ event: 'deal.created', verified: true, body: { data: { stage: 'Lead' } } })
})

test('a service that fails now and then is asked again, and each deal is made once', async () => {
  await using sandbox = await startSandbox({ seed: ['fixtures.yaml'], fail: { '500-after': 20, 'reset-after': 20 } })
  await using client = createClient(sandbox)
  const deals = await Array.fromAsync(client.deals.list())
  for (let n = 0; n < 5; n++) await client.deals.create({ name: `Deal ${n}`, stage: 'Lead' })
  expect(await Array.fromAsync(client.deals.list())).toHaveLength(deals.length + 5)
})
