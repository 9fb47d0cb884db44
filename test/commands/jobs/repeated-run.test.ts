import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { crm } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { emailsOn, runJob } from '../../harness/import-run.ts'
import { type Fate, startProxy } from '../../harness/proxy.ts'
import { ask } from '../../harness/records.ts'
import type { Service } from '../../harness/service.ts'
import { test } from '../../harness/shared-service.ts'

let count = 0

/** A file of two people whom no other test knows. */
function people(service: Service, more = '') {
  const folder = tempFolder()
  const domain = `d${count++}.test`
  const emails = [`eva@${domain}`, `uli@${domain}`]
  const file = join(folder, 'people.csv')
  writeFileSync(file, `name,email\nEva,${emails[0]}\nUli,${emails[1]}\n${more}`)
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  const there = async () => (await emailsOn(service)).filter((email) => email.endsWith(domain))
  return { folder, file, env, emails, there }
}

const again = (file: string, ...more: string[]) => ['contacts', 'import', file, '--match', 'email', '--yes', ...more]

test('an import that is repeated with --match creates the records that were deleted since, and says so, as often as they are', async ({
  service,
}) => {
  const { file, env, emails, there } = people(service)
  await runJob(again(file), env)
  for (const _ of [1, 2, 3]) {
    const remove = ['contacts', 'delete', '--from', file, '--match', 'email', '--yes', '--expect', '2']
    expect(await runJob(remove, env)).toMatchObject({ exit: 0, account: { done: 2 } })
    expect(await there()).toEqual([])
    const dry = await crm(again(file, '--dry-run'), env)
    expect(dry.stderr).toMatch(
      /2 contacts that an earlier import of these rows created are no longer found by email, and are created again: line 2, 3/,
    )
    const repeated = await runJob(again(file), env)
    expect(repeated).toMatchObject({ exit: 0, account: { rows: 2, done: 2 } })
    expect(repeated.stderr).toContain('created again: line 2, 3')
    expect(await there()).toEqual(emails)
  }
})

test('an import that is repeated with --match sends what differs on the server by now, and nothing else', async ({
  service,
}) => {
  const { file, env } = people(service)
  await runJob(again(file), env)
  expect(await runJob(again(file), env)).toMatchObject({ exit: 0, account: { rows: 2, done: 0, unchanged: 2 } })
  const list = await ask(service, { path: '/v1/contacts?limit=1' })
  const [{ id } = { id: '' }] = list.body.data as { id: string }[]
  await ask(service, { method: 'PATCH', path: `/v1/contacts/${id}`, body: { name: 'Someone' } })
  expect(await runJob(again(file), env)).toMatchObject({ exit: 0, account: { done: 1, unchanged: 1 } })
  const { body } = await ask(service, { path: `/v1/contacts/${id}` })
  expect(['Eva', 'Uli']).toContain(body.name)
})

test('an update of the rows of a file that is repeated compares with the server again', async ({ service }) => {
  const { file, env, emails } = people(service)
  await runJob(again(file), env)
  writeFileSync(file, `email,company\n${emails[0]},Acme\n`)
  const update = ['contacts', 'update', '--from', file, '--match', 'email', '--yes']
  expect(await runJob(update, env)).toMatchObject({ account: { done: 1 } })
  const where = `.email == "${emails[0]}"`
  await runJob(['contacts', 'update', '--where', where, '--set', 'company=Other', '--yes'], env)
  expect(await runJob(update, env)).toMatchObject({ exit: 0, account: { done: 1 } })
  expect(await runJob(update, env)).toMatchObject({ exit: 0, account: { done: 0, unchanged: 1 } })
})

test('an import that is repeated without --match sends no row a second time, and counts them as already sent', async ({
  service,
}) => {
  const { file, env, emails, there } = people(service)
  await runJob(['contacts', 'import', file], env)
  const repeated = await runJob(['contacts', 'import', file], env)
  expect(repeated).toMatchObject({ exit: 0, account: { rows: 2, done: 0, already: 2, skipped: 2 } })
  writeFileSync(file, `name,email\nEva,${emails[0]}\nUli,${emails[1]}\nIda,ida-${emails[1]}\n`)
  expect(await runJob(['contacts', 'import', file, '--yes'], env)).toMatchObject({ account: { done: 1, already: 2 } })
  expect(await there()).toHaveLength(3)
})

/** The second write is refused as if the key were not allowed to, so that the job stops and can be resumed. */
async function stopped(service: Service, ...words: string[]) {
  const all = people(service)
  let writes = 0
  const fate = (method: string): Fate => (method === 'GET' || ++writes !== 2 ? undefined : 403)
  const env = { ...all.env, CRM_BASE_URL: await startProxy(service.ownUrl, fate) }
  const args = ['contacts', 'import', all.file, '--yes', '--concurrency', '1']
  const first = await crm([...args, ...words], env)
  expect(first.exit).toBe(5)
  return { ...all, env, args }
}

test.for([['--again'], []])(
  '--again is refused while a job of the run can be resumed, and its command resumes it: %s',
  async (words, { service }) => {
    const { env, args, emails, there } = await stopped(service, ...words)
    const refused = await crm([...args, '--again'], env)
    expect(refused.exit).toBe(7)
    const command = /crm (jobs resume job_\w+)/.exec(refused.stderr)?.[1]?.split(' ') ?? []
    expect(await there()).toHaveLength(1)
    expect((await crm(command, env)).exit).toBe(0)
    expect(await there()).toEqual(emails)
    // Nothing is unfinished: now it starts a new run.
    expect(await runJob([...args, '--again'], env)).toMatchObject({ exit: 0, account: { done: 2 } })
    expect(await there()).toHaveLength(4)
  },
)

test('the same command without --again is refused, too, while a job that --again began can be resumed', async ({
  service,
}) => {
  const { env, args, there } = await stopped(service, '--again')
  const refused = await crm(args, env)
  expect(refused.exit).toBe(7)
  expect(refused.stderr).toMatch(/crm jobs resume job_\w+/)
  expect(await there()).toHaveLength(1)
})

test('of two commands with --again at the same moment only one sends', async ({ service }) => {
  const { file, env, there } = people(service)
  const args = ['contacts', 'import', file, '--yes', '--again']
  const runs = await Promise.all([crm(args, env), crm(args, env)])
  expect(runs.map(({ exit }) => exit).toSorted()).toEqual([0, 7])
  expect(await there()).toHaveLength(2)
})
