import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { crmPrints } from '../../harness/crm.ts'
import { newDatabase } from '../../harness/database.ts'
import { tempFolder } from '../../harness/home.ts'
import { emailsOf, emailsOn, onlyJob, runJob, somePeople, writePeople } from '../../harness/import-run.ts'
import { startService } from '../../harness/service.ts'
import { startCrm } from '../crm.ts'
import { holdWrites } from './holding-proxy.ts'

const CLOCK = new URL('../../torture/clock-preload.ts', import.meta.url).href
const DAY_MS = 86_400_000

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

/** An import that has sent some rows and waits, because the rest of its writes is held. */
async function startHeldImport({ rows, passed }: { rows: number; passed: number }) {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none', '--database', await newDatabase()])
  const proxy = await holdWrites(service.url, passed)
  const people = somePeople(rows)
  const file = writePeople(folder, people)
  const stateHome = join(folder, 'state')
  const env = { ...service.env, CRM_BASE_URL: proxy.url, CRM_STATE_HOME: stateHome }
  const child = startCrm(['contacts', 'import', file, '--yes', '-o', 'json'], env)
  child.stdout.resume()
  await proxy.firstWrite
  return { service, proxy, people, file, stateHome, env, child, job: onlyJob(stateHome) }
}

test('a second resume of a job that is under way is refused and names the process; the first ends as if alone', async () => {
  const { service, proxy, people, env, child, job } = await startHeldImport({ rows: 50, passed: 10 })
  const second = await runJob(['jobs', 'resume', job], env)
  expect(second.exit).toBe(7)
  expect(second.stderr).toContain(String(child.pid))
  proxy.release()
  expect((await child.done).exit).toBe(0)
  expect(await emailsOn(service)).toEqual(emailsOf(people))
})

test('a key that is revoked mid-run stops the job with exit 4; with another key it continues without duplicates', async () => {
  const { service, proxy, people, env, child, job } = await startHeldImport({ rows: 300, passed: 100 })
  const database = ['--database', service.database]
  const [key] = JSON.parse(await crmPrints(['serve', 'keys', 'list', ...database, '-o', 'json'], service.env))
  await crmPrints(['serve', 'keys', 'revoke', key.id, ...database], service.env)
  proxy.release()
  const { exit, stderr } = await child.done
  expect(exit).toBe(4)
  expect(stderr).toContain(`crm jobs resume ${job}`)

  const made = await crmPrints(['serve', 'keys', 'create', ...database, '-o', 'json'], service.env)
  const other = JSON.parse(made).key as string
  const resumed = await runJob(['jobs', 'resume', job], { ...env, CRM_API_KEY: other })
  expect(resumed).toMatchObject({ exit: 0, account: { rows: 300, done: 300, failed: 0 } })
  expect(await emailsOn({ url: service.url, key: other })).toEqual(emailsOf(people))
})

test('a job is not resumed on another server: exit 2 names both, and nothing is sent', async () => {
  const { proxy, env, child, job } = await startHeldImport({ rows: 50, passed: 10 })
  child.kill('SIGKILL')
  await child.done
  const other = await startService()
  const resumed = await runJob(['jobs', 'resume', job], { ...env, CRM_BASE_URL: other.url, CRM_API_KEY: other.key })
  expect(resumed.exit).toBe(2)
  expect(resumed.stderr).toContain(proxy.url)
  expect(resumed.stderr).toContain(other.url)
  expect(await emailsOn(other)).toEqual([])
})

describe("a clock of this machine that jumps between runs changes nothing, since the server's counts", () => {
  test.each([-3 * DAY_MS, 3 * DAY_MS])('%i ms', async (shiftMs) => {
    const { service, proxy, people, env, child, job } = await startHeldImport({ rows: 100, passed: 30 })
    child.kill('SIGKILL')
    await child.done
    proxy.release()
    const shifted = { ...env, NODE_OPTIONS: `--import=${CLOCK}`, TORTURE_CLOCK_SHIFT_MS: `${shiftMs}` }
    const resumed = await runJob(['jobs', 'resume', job], shifted)
    expect(resumed).toMatchObject({ exit: 0, account: { rows: 100, done: 100 } })
    expect(await emailsOn(service)).toEqual(emailsOf(people))
  })
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s awaits the requests under way, saves, names the command that continues, and exits with %i',
  async (signal, code) => {
    const { service, proxy, people, env, child, job } = await startHeldImport({ rows: 100, passed: 30 })
    child.kill(signal)
    proxy.release()
    const { exit, stderr } = await child.done
    expect(exit).toBe(code)
    expect(stderr).toContain(`crm jobs resume ${job}`)
    expect((await runJob(['jobs', 'resume', job], env)).exit).toBe(0)
    expect(await emailsOn(service)).toEqual(emailsOf(people))
  },
)

test('a folder for jobs that cannot be created is exit 13, and nothing is sent', async () => {
  const folder = tempFolder()
  const service = await startService()
  writeFileSync(join(folder, 'state'), '')
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  const run = await runJob(['contacts', 'import', writePeople(folder, somePeople(5)), '--yes'], env)
  expect(run.exit).toBe(13)
  expect(await emailsOn(service)).toEqual([])
})
