import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { jobPaths } from '../../../src/jobs/store/job-folder.ts'
import { headOf } from '../../../src/jobs/store/open-job.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { type Env, tempFolder } from '../../harness/home.ts'
import { changeHead, emailsOn, onlyJob, runJob } from '../../harness/import-run.ts'
import { startService } from '../../harness/service.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

/** More than a contact may hold. */
const TOO_LONG = 'x'.repeat(70_000)

async function startWithTwo() {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none'])
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  for (const name of ['a', 'b']) await crmPrints(['contacts', 'create', '--set', `email=${name}@x.test`], env)
  return { service, env, file: join(folder, 'm.csv') }
}

/** The rows that failed, corrected as a person would. */
function correct({ CRM_STATE_HOME = '' }: Env): { readonly job: string; readonly failed: string } {
  const job = onlyJob(CRM_STATE_HOME)
  const failed = join(CRM_STATE_HOME, 'jobs', `${job}.failed.csv`)
  writeFileSync(failed, readFileSync(failed, 'utf8').replace(TOO_LONG, 'short'))
  return { job, failed }
}

const HEADS = 'email,name,big\n'
const ROWS = `${HEADS}a@x.test,Ada,1\nb@x.test,Bob,${TOO_LONG}\n`

test.each([
  ['an import that matched', ['contacts', 'import']],
  ['an update', ['contacts', 'update', '--from']],
])('corrected rows of %s change the records that they are about, and make none', async (_, words) => {
  const { service, env, file } = await startWithTwo()
  writeFileSync(file, ROWS)
  expect(await runJob([...words, file, '--match', 'email', '--yes'], env)).toMatchObject({ account: { failed: 1 } })
  const { job, failed } = correct(env)
  const retried = await runJob(['jobs', 'retry', job, '--from', failed, '--yes'], env)
  expect(retried).toMatchObject({ exit: 0, account: { rows: 1, done: 1 } })
  expect(retried.stderr).toContain('Plan: change 1, of 1 row')
  expect(await emailsOn(service)).toEqual(['a@x.test', 'b@x.test'])
})

test('a row of an update that matches nothing after its correction is skipped', async () => {
  const { service, env, file } = await startWithTwo()
  writeFileSync(file, ROWS)
  await runJob(['contacts', 'update', '--from', file, '--match', 'email', '--yes'], env)
  const { job, failed } = correct(env)
  writeFileSync(failed, `${HEADS}nobody@x.test,Nobody,1\n`)
  const upsert = await runJob(['jobs', 'retry', job, '--from', failed, '--mode', 'upsert', '--yes'], env)
  expect(upsert.exit).toBe(2)
  const retried = await runJob(['jobs', 'retry', job, '--from', failed, '--match', 'email', '--yes'], env)
  expect(retried).toMatchObject({ exit: 0, account: { skipped: 1, done: 0 } })
  expect(await emailsOn(service)).toEqual(['a@x.test', 'b@x.test'])
})

test('the columns of failed rows are mapped and computed as in the job', async () => {
  const { env, file } = await startWithTwo()
  writeFileSync(file, `Mail,Owner,First,big\nc@x.test,u_1,Cyd,${TOO_LONG}\n`)
  const flags = ['--map', 'Mail=email,Owner=owner_id', '--compute', 'name=.First + "!"', '--yes']
  await runJob(['contacts', 'import', file, ...flags], env)
  const { job, failed } = correct(env)
  expect(await runJob(['jobs', 'retry', job, '--from', failed, '--yes'], env)).toMatchObject({ exit: 0 })
  const made = await crmPrints(['contacts', 'list', '--where', '.email == "c@x.test"', '-o', 'json'], env)
  expect(JSON.parse(made)).toMatchObject([{ owner_id: 'u_1', name: 'Cyd!' }])
})

test('a retry of a job of an earlier version, which does not state how it matched, needs --match', async () => {
  const { env, file, service } = await startWithTwo()
  writeFileSync(file, ROWS)
  await runJob(['contacts', 'import', file, '--match', 'email', '--yes'], env)
  const { job, failed } = correct(env)
  const { terms, ...earlier } = headOf(jobPaths(join(env.CRM_STATE_HOME, 'jobs'), job))
  expect(terms).toBeDefined()
  changeHead(jobPaths(join(env.CRM_STATE_HOME, 'jobs'), job), earlier)
  const refused = await crm(['jobs', 'retry', job, '--from', failed, '--yes'], env)
  expect(refused.exit).toBe(2)
  expect(refused.stderr).toContain('--match')
  expect(await emailsOn(service)).toEqual(['a@x.test', 'b@x.test'])
})

test.each([
  ['update', 'upsert'],
  ['delete', 'create'],
])('%s refuses --mode %s, for it makes nothing', async (verb, mode) => {
  const { env, file } = await startWithTwo()
  writeFileSync(file, `${HEADS}a@x.test,Ada,1\n`)
  const flags = ['--match', 'email', '--mode', mode, '--yes', '--expect', '1']
  const { exit, stderr } = await crm(['contacts', verb, '--from', file, ...flags], env)
  expect(exit).toBe(2)
  expect(stderr).toContain(`--mode ${mode} creates records`)
})
