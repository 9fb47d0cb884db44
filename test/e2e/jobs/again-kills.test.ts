import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { tempFolder } from '../../harness/home.ts'
import { emailsOf, emailsOn, onlyJob, runJob, somePeople, writePeople } from '../../harness/import-run.ts'
import { crm, startCrm } from '../crm.ts'
import { startService } from '../service.ts'
import { holdWrites } from './holding-proxy.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

const PEOPLE = somePeople(120)

/** An import of these people that is under way: some are created, and the next write waits. */
async function underWay(...flags: readonly string[]) {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none'])
  const proxy = await holdWrites(service.url, 30)
  const state = join(folder, 'state')
  const env = { ...service.env, CRM_BASE_URL: proxy.url, CRM_STATE_HOME: state }
  const words = ['contacts', 'import', writePeople(folder, PEOPLE), '--yes', '--concurrency', '2', ...flags]
  const child = startCrm(words, env)
  await proxy.firstWrite
  return { service, proxy, state, env, words, child }
}

test.each([[['--again']], [['--again', '--match', 'email']]])(
  'after kill -9, %j is exit 7 while its job is unfinished, and the resumed job creates no row twice',
  async (flags) => {
    const { service, proxy, state, env, words, child } = await underWay(...flags)
    child.kill('SIGKILL')
    await child.done
    proxy.release()
    await proxy.settled()
    const job = onlyJob(state)
    const there = await emailsOn(service)
    expect(there.length).toBeGreaterThan(20)
    expect(there.length).toBeLessThan(PEOPLE.length)
    for (const _ of [1, 2]) {
      const refused = await crm(words, env)
      expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining(`crm jobs resume ${job}`) })
      expect(await emailsOn(service)).toEqual(there)
    }
    expect(await crm(['jobs', 'resume', job, '-o', 'json'], env)).toMatchObject({ exit: 0 })
    expect(await emailsOn(service)).toEqual(emailsOf(PEOPLE))
  },
)

test('after kill -9, a job that is cancelled leaves what it made, and --again with --match creates the rest', async () => {
  const { service, proxy, state, env, words, child } = await underWay('--again', '--match', 'email')
  child.kill('SIGKILL')
  await child.done
  proxy.release()
  await proxy.settled()
  expect(await crm(['jobs', 'cancel', onlyJob(state)], env)).toMatchObject({ exit: 0 })
  expect(await runJob(words, env, crm)).toMatchObject({ exit: 0, account: { rows: 120, failed: 0 } })
  expect(await emailsOn(service)).toEqual(emailsOf(PEOPLE))
})

test.each([[[]], [['--again']], [['--match', 'email']]])(
  'while a process imports with %j, the same line of another one sends nothing and names its job',
  async (flags) => {
    const { service, proxy, state, env, words, child } = await underWay(...flags)
    const before = await emailsOn(service)
    const second = await crm(words, env)
    expect([7, 13]).toContain(second.exit)
    expect(second.stderr).toContain(onlyJob(state))
    expect(await emailsOn(service)).toEqual(before)
    proxy.release()
    expect((await child.done).exit).toBe(0)
    expect(await emailsOn(service)).toEqual(emailsOf(PEOPLE))
  },
)

test('of three processes that begin the same line at once, one sends each row once', async () => {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none'])
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  const words = ['contacts', 'import', writePeople(folder, PEOPLE), '--match', 'email', '--yes']
  const exits = (await Promise.all([1, 2, 3].map(() => crm(words, env)))).map(({ exit }) => exit)
  expect(exits).toContain(0)
  for (const exit of exits) expect([0, 7, 13]).toContain(exit)
  expect(await emailsOn(service)).toEqual(emailsOf(PEOPLE))
})
