import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { crm, crmPrints } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { emailsOf, emailsOn, onlyJob, runJob, somePeople, writePeople } from '../../harness/import-run.ts'
import { startService } from '../../harness/service.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

function damage(stateHome: string, job: string, from: string, to: string): void {
  const path = join(stateHome, 'jobs', `${job}.db`)
  const file = readFileSync(path, 'latin1')
  expect(file).toContain(from)
  writeFileSync(path, file.replaceAll(from, to), 'latin1')
}

async function fiveImported() {
  const folder = tempFolder()
  const service = await startService()
  const stateHome = join(folder, 'state')
  const env = { ...service.env, CRM_STATE_HOME: stateHome }
  const file = writePeople(folder, somePeople(5))
  expect((await runJob(['contacts', 'import', file], env)).exit).toBe(0)
  return { service, stateHome, env, file, job: onlyJob(stateHome) }
}

test('a result with a changed byte is found by every command that counts results', async () => {
  const { stateHome, env, job } = await fiveImported()
  damage(stateHome, job, '"status":201', '"status":301')
  for (const verb of ['show', 'cancel', 'resume']) {
    const { exit, stderr } = await crm(['jobs', verb, job], env)
    expect({ verb, exit }).toEqual({ verb, exit: 13 })
    expect(stderr).toContain('the result of operation')
  }
  expect(JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], env))).toMatchObject([{ state: 'damaged' }])
})

test('the file of another job under the name of a job is refused', async () => {
  const { stateHome, env, job } = await fiveImported()
  expect((await crm(['jobs', 'undo', job, '--yes', '--expect', '5'], env)).exit).toBe(0)
  const undo = readdirSync(join(stateHome, 'jobs')).find((name) => /^job_\w+\.db$/.test(name) && name !== `${job}.db`)
  copyFileSync(join(stateHome, 'jobs', undo ?? ''), join(stateHome, 'jobs', `${job}.db`))
  for (const words of [['show'], ['resume'], ['failed'], ['undo', '--yes'], ['undo', '--dry-run']]) {
    const [verb = '', ...flags] = words
    const { exit, stderr } = await crm(['jobs', verb, job, ...flags], env)
    expect({ verb, exit }).toEqual({ verb, exit: 13 })
    expect(stderr).toContain(`it is the file of ${undo?.replace('.db', '')}`)
  }
})

test('a damaged job hides no other, is not pruned, and is set aside so that its command works again', async () => {
  const { service, stateHome, env, file, job } = await fiveImported()
  damage(stateHome, job, '"t":"open"', '"t":"opon"')
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
  const { service, stateHome, env, file, job } = await fiveImported()
  damage(stateHome, job, 'crm_plan', 'crm_plam')
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

test('a command that reads a row with a changed byte says so and changes nothing, and the job can be set aside', async () => {
  const { service, stateHome, env, job } = await fiveImported()
  damage(stateHome, job, '@example', '#example')
  const undo = await crm(['jobs', 'undo', job, '--yes'], env)
  expect(undo).toMatchObject({ exit: 13, stderr: expect.stringMatching(/operation \d has changed/) })
  expect(undo.stderr).toContain(`crm jobs cancel ${job} --damaged`)
  expect(await emailsOn(service)).toEqual(emailsOf(somePeople(5)))
  expect((await crm(['jobs', 'cancel', job, '--damaged'], env)).exit).toBe(0)
  expect(JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], env))).toEqual([])
  expect(readdirSync(join(stateHome, 'jobs'))).toEqual([`.damaged-${job}.db`])
})
