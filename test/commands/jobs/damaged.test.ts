import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { crm, crmPrints } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { emailsOf, emailsOn, onlyJob, runJob, somePeople, writePeople } from '../../harness/import-run.ts'
import { startService } from '../../harness/service.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

test('a damaged job hides no other, is not pruned, and is set aside so that its command works again', async () => {
  const folder = tempFolder()
  const service = await startService()
  const stateHome = join(folder, 'state')
  const env = { ...service.env, CRM_STATE_HOME: stateHome }
  const file = writePeople(folder, somePeople(5))
  expect((await runJob(['contacts', 'import', file], env)).exit).toBe(0)
  const job = onlyJob(stateHome)
  const journal = join(stateHome, 'jobs', job, 'journal')
  writeFileSync(journal, readFileSync(journal, 'utf8').replace(/^.{4}/, 'zzzz'))
  expect(
    (await runJob(['contacts', 'import', writePeople(tempFolder(), somePeople(2)), '--run-id', 'b'], env)).exit,
  ).toBe(0)

  const listed = JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], env))
  expect(listed).toMatchObject([{ state: 'finished' }, { id: job, state: 'damaged' }])
  const pruned = await crm(['jobs', 'prune', '--dry-run', '-o', 'id'], env)
  expect(pruned).toMatchObject({ exit: 0 })
  const refused = await crm(['contacts', 'import', file], env)
  expect(refused).toMatchObject({ exit: 13 })
  expect(refused.stderr).toContain(`crm jobs cancel ${job} --damaged`)
  expect((await crm(['jobs', 'cancel', job, '--damaged'], env)).exit).toBe(0)
  expect((await runJob(['contacts', 'import', file], env)).exit).toBe(0)
  expect(await emailsOn(service)).toEqual(emailsOf(somePeople(5)))
})

test('a job with a damaged plan stops commands that may be the same run or its undo, with the command that sets it aside', async () => {
  const folder = tempFolder()
  const service = await startService()
  const stateHome = join(folder, 'state')
  const env = { ...service.env, CRM_STATE_HOME: stateHome }
  const file = writePeople(folder, somePeople(5))
  expect((await runJob(['contacts', 'import', file], env)).exit).toBe(0)
  const job = onlyJob(stateHome)
  const plan = join(stateHome, 'jobs', job, 'plan.ndjson')
  writeFileSync(plan, readFileSync(plan, 'utf8').replace('crm_plan', 'crm_plam'))
  for (const command of [
    ['contacts', 'import', file],
    ['contacts', 'import', file, '--dry-run'],
    ['jobs', 'undo', job],
    ['jobs', 'resume', job],
    ['jobs', 'show', job],
  ]) {
    const { exit, stderr } = await crm(command, env)
    expect({ command, exit }).toEqual({ command, exit: 13 })
    expect(stderr).toContain(`${job} is damaged`)
    expect(stderr).toContain(`crm jobs cancel ${job} --damaged`)
  }
  expect((await crm(['jobs', 'cancel', job, '--damaged'], env)).exit).toBe(0)
  expect((await runJob(['contacts', 'import', file], env)).exit).toBe(0)
  expect(await emailsOn(service)).toEqual(emailsOf(somePeople(5)))
})

test('every command that reads a job detects a changed byte of a row, and the job can be set aside', async () => {
  const folder = tempFolder()
  const service = await startService()
  const stateHome = join(folder, 'state')
  const env = { ...service.env, CRM_STATE_HOME: stateHome }
  const file = writePeople(folder, somePeople(5))
  expect((await runJob(['contacts', 'import', file], env)).exit).toBe(0)
  const job = onlyJob(stateHome)
  const plan = join(stateHome, 'jobs', job, 'plan.ndjson')
  writeFileSync(plan, readFileSync(plan, 'utf8').replace('@', '#'))
  for (const verb of ['show', 'cancel', 'resume']) {
    const { exit, stderr } = await crm(['jobs', verb, job], env)
    expect({ verb, exit }).toEqual({ verb, exit: 13 })
    expect(stderr).toContain(`crm jobs cancel ${job} --damaged`)
  }
  expect(JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], env))).toMatchObject([
    { id: job, state: 'damaged' },
  ])
  expect((await crm(['jobs', 'cancel', job, '--damaged'], env)).exit).toBe(0)
  expect(JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], env))).toEqual([])
})
