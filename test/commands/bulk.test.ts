import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { type Env, tempFolder } from '../harness/home.ts'
import { startService } from '../harness/service.ts'
import { testWithService } from '../harness/shared-service.ts'

const test = testWithService((cleanUp) => startService(['--rate-limit', 'none'], cleanUp))

/** A file of its own name in a folder of its own. */
function fileOf(text: string, name = 'people.csv'): string {
  const path = join(tempFolder(), name)
  writeFileSync(path, text)
  return path
}

/** Each test has people of its own, and job folders of its own. */
function people(env: Env): { readonly env: Env; address(name: string): string } {
  const domain = `${Math.random().toString(36).slice(2)}.test`
  return { env: { ...env, CRM_STATE_HOME: join(tempFolder(), 'state') }, address: (name) => `${name}@${domain}` }
}

async function bulk(args: readonly string[], env: Env) {
  const { exit, stdout, stderr } = await crm([...args, '-o', 'json'], env)
  return { exit, report: stdout === '' ? undefined : JSON.parse(stdout), stderr }
}

const find = async (email: string, env: Env) =>
  JSON.parse(await crmPrints(['contacts', 'list', '--where', `.email == "${email}"`, '-o', 'json'], env))

test('existing contacts are changed, others are created, and equal rows are not sent', async ({ service }) => {
  const { env, address } = people(service.env)
  const first = fileOf(`name,email\nAda,${address('ada')}\nBob,${address('bob')}\n`)
  expect((await bulk(['contacts', 'import', first], env)).report).toMatchObject({ rows: 2, done: 2 })
  const second = fileOf(`name,email\nAda Lovelace,${address('ADA')}\nBob,${address('bob')}\nCyd,${address('cyd')}\n`)
  const refused = await bulk(['contacts', 'import', second, '--match', 'email'], env)
  expect(refused.exit).toBe(11)
  const { exit, report } = await bulk(['contacts', 'import', second, '--match', 'email', '--yes'], env)
  expect({ exit, report }).toMatchObject({ exit: 0, report: { rows: 3, done: 2, unchanged: 1 } })
  expect((await find(address('ada'), env))[0]).toMatchObject({ name: 'Ada Lovelace' })
})

test('an undo reverts the values of the job, and names those that were changed since', async ({ service }) => {
  const { env, address } = people(service.env)
  await bulk(
    ['contacts', 'import', fileOf(`name,email,phone\nAda,${address('ada')},1\nBob,${address('bob')},1\n`)],
    env,
  )
  const changes = fileOf(`email,phone,company\n${address('ada')},2,Acme\n${address('bob')},2,Acme\n`)
  const { report } = await bulk(['contacts', 'update', '--from', changes, '--match', 'email', '--yes'], env)
  const [bob] = await find(address('bob'), env)
  await crmPrints(['contacts', 'update', bob.id, '--set', 'phone=3'], env)
  const undone = await bulk(['jobs', 'undo', report.job, '--yes'], env)
  expect(undone).toMatchObject({ exit: 3, report: { done: 2 } })
  expect(undone.stderr).toContain(`${bob.id} (phone: was "1", the job wrote "2", is "3" now)`)
  const [[adaAfter], [bobAfter]] = [await find(address('ada'), env), await find(address('bob'), env)]
  expect([adaAfter.phone, adaAfter.company, bobAfter.phone, bobAfter.company]).toEqual(['1', undefined, '3', undefined])
})

test('an undo restores deleted records under new ids, and deletes imported ones that are unchanged since', async ({
  service,
}) => {
  const { env, address } = people(service.env)
  const imported = await bulk(
    ['contacts', 'import', fileOf(`name,email\nAda,${address('ada')}\nBob,${address('bob')}\n`)],
    env,
  )
  const gone = await bulk(
    ['contacts', 'delete', '--where', `.email == "${address('ada')}"`, '--yes', '--expect', '1'],
    env,
  )
  expect(gone.report).toMatchObject({ done: 1 })
  expect(await find(address('ada'), env)).toEqual([])
  expect((await bulk(['jobs', 'undo', gone.report.job], env)).report).toMatchObject({ done: 1 })
  expect((await find(address('ada'), env))[0]).toMatchObject({ name: 'Ada' })
  const undo = ['jobs', 'undo', imported.report.job]
  expect((await bulk(undo, env)).exit).toBe(11)
  const { report, stderr } = await bulk([...undo, '--yes', '--expect', '1'], env)
  expect(report).toMatchObject({ done: 1, skipped: 1 })
  expect(stderr).toMatch(/1 no longer there: con_\w+/)
  expect(await find(address('bob'), env)).toEqual([])
})

test('an import that was undone can be run again, and creates the records again', async ({ service }) => {
  const { env, address } = people(service.env)
  const file = fileOf(`name,email\nAda,${address('ada')}\nBob,${address('bob')}\n`)
  const { report } = await bulk(['contacts', 'import', file], env)
  await bulk(['jobs', 'undo', report.job, '--yes', '--expect', '2'], env)
  expect((await bulk(['contacts', 'import', file], env)).report).toMatchObject({ done: 2 })
  expect(await find(address('ada'), env)).toHaveLength(1)
})

test('a plan is sent once and unchanged, and not if a record has changed since', async ({ service }) => {
  const { env, address } = people(service.env)
  await bulk(['contacts', 'import', fileOf(`name,email\nAda,${address('ada')}\n`)], env)
  const plan = join(tempFolder(), 'people.plan')
  const rows = fileOf(`email,company\n${address('ada')},Acme\n`)
  await bulk(['contacts', 'import', rows, '--match', 'email', '--plan', plan], env)
  const [ada] = await find(address('ada'), env)
  await crmPrints(['contacts', 'update', ada.id, '--set', 'phone=3'], env)
  const drifted = await bulk(['apply', plan, '--yes'], env)
  expect(drifted.exit).toBe(7)
  expect(drifted.stderr).toContain(`${ada.id} was changed`)
  expect((await bulk(['apply', plan, '--yes', '--allow-drift'], env)).report).toMatchObject({ done: 1 })
  expect((await bulk(['apply', plan, '--yes'], env)).stderr).toContain('has already done this')
})

test('rows that the server refuses are in a file that can be corrected and imported', async ({ service }) => {
  const { env } = people(service.env)
  const deals = fileOf('name,stage,pipeline_id\nOne,Qualified,\nTwo,Proposal,pipe_nope\n', 'deals.csv')
  const { exit, report, stderr } = await bulk(['deals', 'import', deals], env)
  expect({ exit, report }).toMatchObject({ exit: 3, report: { done: 1, failed: 1 } })
  const failed = /: (\S+failed\.csv)/.exec(stderr)?.[1] ?? ''
  const failures = JSON.parse(await crmPrints(['jobs', 'failed', report.job, '-o', 'json'], env))
  expect(failures).toMatchObject([{ line: 3, code: 'invalid_values', field: 'pipeline_id' }])
  writeFileSync(failed, readFileSync(failed, 'utf8').replace(/pipe_nope$/m, ''))
  // Corrections are kept by what would write the file anew.
  const edited = readFileSync(failed, 'utf8')
  const again = await crm(['jobs', 'failed', report.job], env)
  expect(again.stderr).toContain('as you edited them')
  expect(readFileSync(failed, 'utf8')).toBe(edited)
  expect((await bulk(['jobs', 'retry', report.job, '--from', failed], env)).report).toMatchObject({ rows: 1, done: 1 })
  const notes = `deal_id,body\n${JSON.parse(await crmPrints(['deals', 'list', '--limit', '1', '-o', 'json'], env))[0].id},Called\n`
  expect((await bulk(['notes', 'import', fileOf(notes, 'notes.csv')], env)).report).toMatchObject({ done: 1 })
})

test('jobs are listed, shown by a suffix of their id, and removed if they are old', async ({ service }) => {
  const { env, address } = people(service.env)
  const { report } = await bulk(['contacts', 'import', fileOf(`name,email\nAda,${address('ada')}\n`)], env)
  expect(await crmPrints(['jobs', 'list', '-o', 'id'], env)).toBe(`${report.job}\n`)
  const shown = JSON.parse(await crmPrints(['jobs', 'show', report.job.slice(-5), '-o', 'json'], env))
  expect(shown).toMatchObject({ id: report.job, state: 'finished', rows: 1, done: 1 })
  const young = await crm(['jobs', 'prune', '--older-than', '0s'], env)
  expect(young).toMatchObject({ exit: 11, stdout: '' })
  expect(young.stderr).toContain('1 job that ended less than 30 days ago')
  expect(await crmPrints(['jobs', 'prune', '--older-than', '0s', '--dry-run', '-o', 'id'], env)).toBe(`${report.job}\n`)
  await crmPrints(['jobs', 'prune', '--older-than', '0s', '--yes'], env)
  expect(await crmPrints(['jobs', 'list', '-o', 'id'], env)).toBe('')
})

test('jobs that keep the address of a person are removed, and no others', async ({ service }) => {
  const { env, address } = people(service.env)
  const [ada, bob] = [address('ada'), address('bob')]
  const { report: created } = await bulk(['contacts', 'import', fileOf(`name,email\nAda,${ada}\n`)], env)
  const { report: other } = await bulk(['contacts', 'import', fileOf(`name,email\nBob,${bob}\n`)], env)
  // Its file has no address: the record before the change has it.
  const [{ id }] = await find(ada, env)
  const { report: changed } = await bulk(['contacts', 'import', fileOf(`id,phone\n${id},1\n`), '--yes'], env)
  const prune = ['jobs', 'prune', '--person', ada.toUpperCase()]
  // What a planning leaves behind that was killed two days ago; one of today may go on.
  const drafts = ['.new-job_old', '.new-job_young'].map((name) => join(env.CRM_STATE_HOME ?? '', 'jobs', name))
  for (const draft of drafts) mkdirSync(draft)
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400
  utimesSync(drafts[0] ?? '', twoDaysAgo, twoDaysAgo)
  expect(await crm(prune, env)).toMatchObject({ exit: 11 })
  const listed = await crmPrints([...prune, '--dry-run', '-o', 'id'], env)
  expect(listed.trim().split('\n').toSorted()).toEqual(['.new-job_old', created.job, changed.job].toSorted())
  await crmPrints([...prune, '--yes'], env)
  expect(await crmPrints(['jobs', 'list', '-o', 'id'], env)).toBe(`${other.job}\n`)
  expect(drafts.map((draft) => existsSync(draft))).toEqual([false, true])
  await crmPrints(['jobs', 'prune', other.job, '--yes'], env)
  expect(await crmPrints(['jobs', 'list', '-o', 'id'], env)).toBe('')
  expect(await crm(['jobs', 'prune', other.job, '--yes'], env)).toMatchObject({ exit: 6 })
})
