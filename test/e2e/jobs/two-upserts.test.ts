import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { crmPrints } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'
import { emailsOf, emailsOn, onlyJob, runJob, somePeople, writePeople } from '../../harness/import-run.ts'
import { all, ask, make } from '../../harness/records.ts'
import { startService } from '../../harness/service.ts'
import { startCrm } from '../crm.ts'
import { holdWrites } from './holding-proxy.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

test('two concurrent upserts on unique emails end with one contact each, and an undo leaves earlier contacts', async () => {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none', '--unique', 'contacts.email'])
  const proxy = await holdWrites(service.url)
  const people = somePeople(40).map((person) => ({ ...person, company: 'File' }))
  const state = join(folder, 'state')
  const env = { ...service.env, CRM_BASE_URL: proxy.url, CRM_STATE_HOME: state }
  const child = startCrm(['contacts', 'import', writePeople(folder, people), '--match', 'email', '--yes'], env)
  await proxy.firstWrite
  const [first, ...others] = people.slice(0, 30).map(({ email, name }) => ({ email: email.toUpperCase(), name }))
  const [gone] = await make(service, '/v1/contacts', [{ ...first, phone: '1' }])
  await make(service, '/v1/contacts', others)
  proxy.release()
  expect((await child.done).exit).toBe(0)
  expect((await emailsOn(service)).map((email) => email.toLowerCase())).toEqual(emailsOf(people))
  const contacts = await all(service, '/v1/contacts')
  expect(contacts.every(({ company }) => company === 'File')).toBe(true)
  expect(contacts.find(({ id }) => id === gone)).toMatchObject({ phone: '1' })

  const undone = await runJob(['jobs', 'undo', onlyJob(state), '--yes', '--expect', '10'], env)
  expect(undone).toMatchObject({ exit: 3, account: { done: 10, skipped: 30 } })
  expect(undone.stderr).toContain('30 cannot be reverted')
  expect(await all(service, '/v1/contacts')).toHaveLength(30)
})

describe('two upserts at once without unique emails', () => {
  async function doubled(flags: readonly string[]) {
    const folder = tempFolder()
    const service = await startService(['--rate-limit', 'none'])
    const proxy = await holdWrites(service.url)
    const env = { ...service.env, CRM_BASE_URL: proxy.url, CRM_STATE_HOME: join(folder, 'state') }
    const words = ['contacts', 'import', writePeople(folder, somePeople(40)), '--match', 'email', '--yes', ...flags]
    const child = startCrm([...words, '-o', 'json'], env)
    let stdout = ''
    child.stdout.on('data', (text) => (stdout += text))
    await proxy.firstWrite
    const twins = await make(service, '/v1/contacts', [{ email: ' P3@example.test' }, { email: 'p7@EXAMPLE.test' }])
    proxy.release()
    const { exit, stderr } = await child.done
    return {
      service,
      env,
      words,
      twins,
      exit,
      stderr,
      account: JSON.parse(stdout),
      job: onlyJob(join(folder, 'state')),
    }
  }

  test('end with exit 3 and name what exists twice, until one of each is gone', async () => {
    const { service, env, words, twins, exit, stderr, account, job } = await doubled([])
    expect([exit, account]).toEqual([3, expect.objectContaining({ done: 40, failed: 0, twice: 2 })])
    for (const id of twins) expect(stderr).toMatch(new RegExp(`Line \\d+: .*${id}.* match the row`))
    expect(stderr).toContain(`crm jobs failed ${job} --twice`)
    const named = JSON.parse(await crmPrints(['jobs', 'failed', job, '--twice', '-o', 'json'], env))
    expect(named).toMatchObject([
      { line: 5, ids: expect.arrayContaining([twins[0]]) },
      { line: 9, ids: expect.arrayContaining([twins[1]]) },
    ])
    expect(await runJob(words, env)).toMatchObject({ exit: 3, account: { failed: 2, unchanged: 38 } })
    for (const id of twins) await ask(service, { method: 'DELETE', path: `/v1/contacts/${id}` })
    expect(await runJob(words, env)).toMatchObject({ exit: 0, account: { failed: 0, unchanged: 40 } })
  })

  test('do not look with --no-recheck, and the account says so', async () => {
    const { exit, stderr, account } = await doubled(['--no-recheck'])
    expect([exit, account]).toEqual([0, expect.objectContaining({ done: 40, twice: null })])
    expect(stderr).toContain('Duplicates were not looked for (--no-recheck).')
  })
})

test('--no-recheck without --match is refused', async () => {
  const file = writePeople(tempFolder(), somePeople(1))
  expect(await runJob(['contacts', 'import', file, '--no-recheck'], emptyHome())).toMatchObject({ exit: 2 })
})
