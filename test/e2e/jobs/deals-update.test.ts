import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { newDatabase } from '../../harness/database.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'
import { onlyJob, runJob } from '../../harness/import-run.ts'
import { all, make } from '../../harness/records.ts'
import { startService } from '../../harness/service.ts'
import { startCrm } from '../crm.ts'
import { holdWrites } from './holding-proxy.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

const DEALS = [
  { name: 'One', stage: 'Lead', amount: 1 },
  { name: 'Two', stage: 'Qualified', amount: 2 },
  { name: 'Three', stage: 'Lead', amount: 3 },
]

async function startWithDeals() {
  const folder = tempFolder()
  const service = await startService()
  await make(service, '/v1/deals', DEALS)
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  const deals = async () => {
    const list = await all(service, '/v1/deals')
    return Object.fromEntries(list.map(({ name, stage, amount }) => [String(name), `${stage} ${amount}`]))
  }
  const lastJob = async () => (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')[0] ?? ''
  return { folder, service, env, deals, lastJob }
}

test('the deals that an expression selects are changed in one job, and its undo leaves those that were changed since', async () => {
  const { env, deals, lastJob } = await startWithDeals()
  const change = ['deals', 'update', '--where', '.stage == "Lead"', '--set', 'stage=Won', '--set', 'amount:=9']
  expect((await runJob(change, env)).exit).toBe(11)
  expect(await runJob([...change, '--yes'], env)).toMatchObject({ exit: 0, account: { rows: 2, done: 2 } })
  expect(await deals()).toEqual({ One: 'Won 9', Two: 'Qualified 2', Three: 'Won 9' })
  const job = await lastJob()
  const one = (await crmPrints(['deals', 'list', '--where', '.name == "One"', '-o', 'id'], env)).trim()
  await crmPrints(['deals', 'update', one, '--set', 'amount:=55'], env)
  const undone = await runJob(['jobs', 'undo', job, '--yes'], env)
  expect(undone).toMatchObject({ exit: 3, account: { rows: 2, done: 2 } })
  expect(undone.stderr).toContain(`${one} (amount: was 1, the job wrote 9, is 55 now)`)
  expect(await deals()).toEqual({ One: 'Lead 55', Two: 'Qualified 2', Three: 'Lead 3' })
})

test('an edited export changes the records that differ; deals are also matched by name, and none is created', async () => {
  const { folder, env, deals } = await startWithDeals()
  const file = join(folder, 'deals.csv')
  writeFileSync(file, (await crmPrints(['deals', 'list', '-o', 'csv'], env)).replace(',3,', ',30,'))
  const run = await runJob(['deals', 'update', '--from', file, '--yes'], env)
  expect(run).toMatchObject({ exit: 0, account: { rows: 3, done: 1, unchanged: 2 } })
  const named = join(folder, 'named.csv')
  writeFileSync(named, 'name,stage\nTWO,Won\nFour,Lead\n')
  const byName = await runJob(['deals', 'update', '--from', named, '--match', 'name', '--yes'], env)
  expect(byName).toMatchObject({ exit: 0, account: { rows: 2, done: 1, skipped: 1 } })
  expect(await deals()).toEqual({ One: 'Lead 1', Two: 'Won 2', Three: 'Lead 30' })
})

test('a change that the server refuses is a failed row, with the member that is wrong', async () => {
  const { env, lastJob } = await startWithDeals()
  const run = await runJob(['deals', 'update', '--where', 'true', '--set', 'pipeline_id=pipe_x', '--yes'], env)
  expect(run).toMatchObject({ exit: 3, account: { rows: 3, failed: 3 } })
  const failed = JSON.parse(await crmPrints(['jobs', 'failed', await lastJob(), '-o', 'json'], env))
  expect(failed[0]).toMatchObject({ code: 'invalid_values', field: 'pipeline_id' })
})

test('a killed job continues, and each deal is changed once', async () => {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none', '--database', await newDatabase()])
  await make(
    service,
    '/v1/deals',
    Array.from({ length: 60 }, (_, at) => ({ name: `Deal ${at}`, stage: 'Lead' })),
  )
  const proxy = await holdWrites(service.url, 20)
  const stateHome = join(folder, 'state')
  const env = { ...service.env, CRM_BASE_URL: proxy.url, CRM_STATE_HOME: stateHome }
  const child = startCrm(['deals', 'update', '--where', 'true', '--set', 'stage=Won', '--yes'], env)
  await proxy.firstWrite
  child.kill('SIGKILL')
  await child.done
  proxy.release()
  const resumed = await runJob(['jobs', 'resume', onlyJob(stateHome)], env)
  expect(resumed).toMatchObject({ exit: 0, account: { rows: 60, done: 60 } })
  const deals = await all(service, '/v1/deals')
  expect(deals.every(({ stage, version }) => stage === 'Won' && version === 2)).toBe(true)
})

test('a connector without changes of deals is exit 7, in one sentence', async () => {
  const { url } = await startServer((response) => sendJson(response, 200, { data: [], next_cursor: null }))
  const env = emptyHome({ CRM_BASE_URL: url.href, CRM_API_KEY: 'crm_key_of_the_test', CRM_CONNECTOR: 'contract' })
  const run = await crm(['deals', 'update', '--where', 'true', '--set', 'stage=Won', '--yes'], env)
  expect(run).toMatchObject({ exit: 7, stdout: '' })
  expect(run.stderr).toContain('contract (connector) has no update of deals\n')
})

test('a stage that no pipeline has is refused once, and not by every deal', async () => {
  const { env, deals } = await startWithDeals()
  const update = (stage: string) => crm(['deals', 'update', '--where', 'true', '--set', `stage=${stage}`, '--yes'], env)
  const before = await deals()
  const wrong = await update('Nope')
  expect(wrong).toMatchObject({ exit: 2, stdout: '' })
  expect(wrong.stderr).toContain('no pipeline has the stage "Nope": expected one of Lead,')
  expect((await update('Leed')).stderr).toContain('did you mean Lead?')
  expect(await crmPrints(['jobs', 'list', '-o', 'id'], env)).toBe('')
  expect(await deals()).toEqual(before)
})
