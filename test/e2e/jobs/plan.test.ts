import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { crm, crmPrints } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { emailsOn, runJob, somePeople, writePeople } from '../../harness/import-run.ts'
import { startService } from '../../harness/service.ts'
import { startCrm } from '../crm.ts'
import { holdWrites } from './holding-proxy.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

async function startWithHome(args: readonly string[] = []) {
  const folder = tempFolder()
  const service = await startService(args)
  const scratch = join(folder, 'tmp')
  mkdirSync(scratch)
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state'), TMPDIR: scratch }
  return { folder, service, env, scratch }
}

const dryRun = async (args: readonly string[], env: Awaited<ReturnType<typeof startWithHome>>['env']) =>
  JSON.parse(await crmPrints([...args, '--dry-run', '-o', 'json'], env))

test('a dry run shows what would be sent, and leaves no folder behind', async () => {
  const { folder, service, env, scratch } = await startWithHome()
  const file = writePeople(folder, somePeople(3))
  const plan = await dryRun(['contacts', 'import', file], env)
  expect(plan).toMatchObject({ dry_run: true, rows: 3, create: 3, update: 0, delete: 0, requests: 3, left_out: [] })
  expect(plan.fields).toEqual([
    { field: 'email', create: 3, update: 0, clear: 0 },
    { field: 'name', create: 3, update: 0, clear: 0 },
  ])
  expect(existsSync(env.CRM_STATE_HOME)).toBe(false)
  expect(readdirSync(scratch)).toEqual([])
  const wrong = join(folder, 'wrong.csv')
  writeFileSync(wrong, 'email,name\na\n')
  expect((await crm(['contacts', 'import', wrong, '--dry-run'], env)).exit).toBe(2)
  expect(readdirSync(scratch)).toEqual([])
  expect(await emailsOn(service)).toEqual([])
  mkdirSync(join(env.CRM_STATE_HOME, 'jobs'), { recursive: true, mode: 0o700 })
  expect(await dryRun(['contacts', 'import', file], env)).toMatchObject({ create: 3 })
  expect(readdirSync(join(env.CRM_STATE_HOME, 'jobs'))).toEqual([])
})

test('a dry run of a stopped import shows the rows that are left, and sends nothing', async () => {
  const { folder, service, env } = await startWithHome(['--rate-limit', 'none'])
  const proxy = await holdWrites(service.url, 20)
  const held = { ...env, CRM_BASE_URL: proxy.url }
  const file = writePeople(folder, somePeople(60))
  const child = startCrm(['contacts', 'import', file], held)
  await proxy.firstWrite
  child.kill('SIGKILL')
  await child.done
  proxy.release()
  await proxy.settled()
  const there = await emailsOn(service)
  const plan = await dryRun(['contacts', 'import', file], held)
  expect(plan).toMatchObject({ rows: 60, update: 0, unchanged: 0 })
  expect(plan.create + plan.skipped).toBe(60)
  expect(plan.create).toBeGreaterThan(0)
  expect(await emailsOn(service)).toEqual(there)
})

test('a plan states the limit and the shortest time it allows, or that the server states no limit', async () => {
  const { folder, env } = await startWithHome(['--rate-limit', '100/10s'])
  const file = writePeople(folder, somePeople(300))
  const plan = await dryRun(['contacts', 'import', file], env)
  expect(plan.rate_limit).toMatchObject({ limit: 100, window_ms: 10_000, share: 0.8 })
  // Less than 80 of this window, then 80 a window.
  expect(plan.eta_ms).toBeGreaterThan(20_000)
  expect(plan.eta_ms).toBeLessThanOrEqual(40_000)
  const unlimited = await startWithHome(['--rate-limit', 'none'])
  expect(await dryRun(['contacts', 'import', file], unlimited.env)).toMatchObject({ rate_limit: null, eta_ms: null })
})

test('the plan is shown before rows are sent: members, requests and the limit', async () => {
  const { folder, env } = await startWithHome()
  const { stderr } = await runJob(['contacts', 'import', writePeople(folder, somePeople(3))], env)
  expect(stderr).toContain('Plan: create 3, of 3 rows\nFields: email 3, name 3\nSends 3 requests; limit: 1000 in 10 s')
})

test('a dry run of a finished import shows that nothing is left to send, and a plan of it is refused', async () => {
  const { folder, env } = await startWithHome()
  const file = writePeople(folder, somePeople(3))
  await runJob(['contacts', 'import', file], env)
  expect(await dryRun(['contacts', 'import', file], env)).toMatchObject({ rows: 3, create: 0, skipped: 3, requests: 0 })
  expect((await crm(['contacts', 'import', file, '--dry-run', '--exit-code'], env)).exit).toBe(0)
  const planned = await crm(['contacts', 'import', file, '--plan', join(folder, 'x.plan')], env)
  expect(planned.exit).toBe(7)
  expect(existsSync(join(folder, 'x.plan'))).toBe(false)
})

test('rows with nothing in them and rows without a match are in the account, and are named with their line', async () => {
  const { folder, env } = await startWithHome()
  await runJob(['contacts', 'import', writePeople(folder, somePeople(2))], env)
  const file = join(folder, 'changes.csv')
  writeFileSync(file, 'email,phone\np0@example.test,1\n,\nnobody@example.test,2\n')
  const run = await runJob(['contacts', 'update', '--from', file, '--match', 'email', '--yes'], env)
  expect(run).toMatchObject({ exit: 0, account: { rows: 3, done: 1, skipped: 2 } })
  expect(run.stderr).toContain('1 without a match: line 4')
  expect(run.stderr).toContain('1 empty: line 3')
  const job = (await crmPrints(['jobs', 'list', '--limit', '1', '-o', 'id'], env)).trim()
  const skipped = JSON.parse(await crmPrints(['jobs', 'failed', job, '--skipped', '-o', 'json'], env))
  expect(skipped).toMatchObject([
    { line: 4, code: 'no_match', reason: 'no contact has the email "nobody@example.test"' },
    { line: 3, code: 'empty_row' },
  ])
})
