import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { newDatabase } from '../../harness/database.ts'
import { tempFolder } from '../../harness/home.ts'
import { emailsOf, emailsOn, runJob, somePeople, writePeople } from '../../harness/import-run.ts'
import { countRequests } from '../../harness/request-counter.ts'
import { runs } from '../../harness/sample.ts'
import { startService } from '../../harness/service.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

const ROWS = runs(300, 60)

/** More than a contact may hold. */
const TOO_LONG = 'x'.repeat(70_000)

async function startCounted() {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none', '--database', await newDatabase()])
  const counter = await countRequests(service.url)
  const stateHome = join(folder, 'state')
  const env = { ...service.env, CRM_BASE_URL: counter.url, CRM_STATE_HOME: stateHome }
  const writes = () => counter.requests.filter((request) => !request.startsWith('GET '))
  return { folder, service, counter, stateHome, env, writes }
}

test('three corrected rows of hundreds are three requests', async () => {
  const { folder, service, counter, env, writes } = await startCounted()
  const people = somePeople(ROWS)
  const isWrong = (at: number) => at === 7 || at === ROWS / 2 || at === ROWS - 1
  const file = writePeople(
    folder,
    people.map((person, at) => (isWrong(at) ? { ...person, company: TOO_LONG } : person)),
  )
  const first = await runJob(['contacts', 'import', file, '--yes'], env)
  expect(first).toMatchObject({ exit: 3, account: { rows: ROWS, done: ROWS - 3, failed: 3 } })

  writePeople(folder, people)
  counter.requests.length = 0
  const second = await runJob(['contacts', 'import', file, '--yes'], env)
  expect(second.exit).toBe(0)
  expect(writes()).toHaveLength(3)
  expect(await emailsOn(service)).toEqual(emailsOf(people))
})

test('a finished run that is repeated sends nothing, names its job and succeeds', async () => {
  const { folder, env, writes, counter } = await startCounted()
  const file = writePeople(folder, somePeople(20))
  await runJob(['contacts', 'import', file, '--yes'], env)
  counter.requests.length = 0
  const again = await runJob(['contacts', 'import', file, '--yes'], env)
  expect(again.exit).toBe(0)
  expect(again.stderr).toContain('job_')
  expect(writes()).toEqual([])
})

test('without its job folder, the same command creates nothing again while the server keeps its keys', async () => {
  const { folder, service, stateHome, env } = await startCounted()
  const people = somePeople(ROWS)
  const file = writePeople(folder, people)
  await runJob(['contacts', 'import', file, '--yes'], env)
  rmSync(stateHome, { recursive: true })
  const again = await runJob(['contacts', 'import', file, '--yes'], env)
  expect(again).toMatchObject({ exit: 0, account: { rows: ROWS, done: 0, unchanged: ROWS } })
  expect(await emailsOn(service)).toEqual(emailsOf(people))
})

test('another file of the same name, with other people and one constant column, changes no one', async () => {
  const { folder, service, env } = await startCounted()
  const people = (from: number) =>
    Array.from({ length: 10 }, (_, at) => ({
      email: `p${from + at}@x.test`,
      name: `Person ${from + at}`,
      company: 'web',
    }))
  await runJob(['contacts', 'import', writePeople(folder, people(0)), '--yes'], env)
  await runJob(['contacts', 'import', writePeople(folder, people(10)), '--yes'], env)
  const emails = await emailsOn(service)
  expect(emails).toEqual(expect.arrayContaining(emailsOf(people(0))))
})

const TEN = Array.from({ length: 10 }, (_, at) => ({ email: `ya${at}@z.test`, name: `Ya${at}` }))
const NEW = { email: 'new@z.test', name: 'New' }

test('a corrected row below an inserted one changes the contact that was created from it', async () => {
  const { folder, service, env } = await startCounted()
  await runJob(['contacts', 'import', writePeople(folder, TEN), '--yes'], env)
  const corrected = TEN.map((person, at) => (at === 3 ? { ...person, email: 'right@z.test' } : person))
  const second = await runJob(['contacts', 'import', writePeople(folder, [NEW, ...corrected]), '--yes'], env)
  expect(second).toMatchObject({ exit: 0, account: { done: 2, skipped: 9 } })
  expect(await emailsOn(service)).toEqual(emailsOf([NEW, ...corrected]))
})

test('a row whose contact may exist under another email and name needs confirmation, which names both', async () => {
  const { folder, service, env } = await startCounted()
  await runJob(['contacts', 'import', writePeople(folder, TEN), '--yes'], env)
  const other = TEN.with(3, { email: 'x@z.test', name: 'Somebody' })
  const file = writePeople(folder, other)
  const second = await runJob(['contacts', 'import', file], env)
  expect(second.exit).toBe(11)
  expect(second.stderr).toMatch(
    /New: line 5\. Created before, from rows that are no longer in the input: con_\w+ of line 5/,
  )
  expect(await emailsOn(service)).toEqual(emailsOf(TEN))
})

test('a field of --match that the file does not have is refused, with a suggestion', async () => {
  const { folder, env, writes } = await startCounted()
  const file = writePeople(folder, TEN)
  for (const name of ['Email', 'E-Mail']) {
    const run = await runJob(['contacts', 'import', file, '--match', name, '--yes'], env)
    expect(run.exit).toBe(2)
    expect(run.stderr).toContain(`has no field ${name} to match by; did you mean email?`)
  }
  expect(await runJob(['contacts', 'import', file, '--match', 'id', '--yes'], env)).toMatchObject({ exit: 2 })
  expect(writes()).toEqual([])
})

test('if rows failed, the same command names jobs retry, and --again asks before it creates duplicates', async () => {
  const { folder, service, env } = await startCounted()
  const people = somePeople(3)
  const file = writePeople(folder, people.with(2, { email: 'p2@example.test', name: 'P', company: TOO_LONG }))
  await runJob(['contacts', 'import', file, '--yes'], env)
  const rerun = await runJob(['contacts', 'import', file, '--yes'], env)
  expect(rerun.stderr).toMatch(/1 row failed: crm jobs retry job_/)
  expect(rerun.stderr).not.toContain('--again')
  const again = await runJob(['contacts', 'import', file, '--again'], env)
  expect(again.exit).toBe(11)
  expect(again.stderr).toMatch(/job_\w+ made 2 contacts; --again creates all rows again\./)
  expect(await emailsOn(service)).toEqual(emailsOf(people.slice(0, 2)))
  expect(await runJob(['contacts', 'import', file, '--again', '--yes'], env)).toMatchObject({ account: { done: 2 } })
})

test('a plan that is applied again does not name a flag that apply does not have', async () => {
  const { folder, env } = await startCounted()
  const plan = join(folder, 'people.plan')
  await runJob(['contacts', 'import', writePeople(folder, TEN), '--plan', plan], env)
  await runJob(['apply', plan, '--yes'], env)
  const { exit, stderr } = await runJob(['apply', plan, '--yes'], env)
  expect(exit).toBe(0)
  expect(stderr).toContain('has already done this; a plan is sent once.')
  expect(stderr).not.toContain('--again')
})
