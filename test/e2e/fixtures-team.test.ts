import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { counts, demoText } from '../harness/fixtures-demo.ts'
import { type Env, emptyHome, tempFolder } from '../harness/home.ts'
import { startProxy } from '../harness/proxy.ts'
import { startService } from '../harness/service.ts'
import { startCrm } from './crm.ts'

/** Sent in some ten seconds, so that it can be stopped on its way. */
const SLOW_SERVICE = ['--rate-limit', '30/1s']

interface Setting {
  readonly service: readonly string[]
  readonly crowd: number
  /** Between the first runner and the service. */
  readonly latencyMs?: number
}

async function runners({ service, crowd, latencyMs }: Setting) {
  const { env, url } = await startService(service)
  const delayed = latencyMs === undefined ? url : await startProxy(url, () => sleep(latencyMs))
  const runner = (address: string) => {
    const own: Env & { readonly HOME: string } = emptyHome({
      CRM_BASE_URL: address,
      CRM_API_KEY: env.CRM_API_KEY ?? '',
      CRM_CONFIG_HOME: tempFolder(),
      CRM_STATE_HOME: tempFolder(),
    })
    const file = join(own.HOME, 'demo.yaml')
    writeFileSync(file, demoText(crowd, 60))
    return { env: own, line: (verb: string) => ['fixtures', verb, file, '--run-id', 'pr-17', '-o', 'json'] }
  }
  const [one, two] = [runner(delayed), runner(url)]
  await crmPrints(['contacts', 'create', '--set', 'name=Ada', '--set', 'email=ada@example.test'], one.env)
  return { one, two }
}

/** The first runner has made some contacts, and holds the lock. */
async function begun({ one }: Awaited<ReturnType<typeof runners>>) {
  const child = startCrm(one.line('apply'), one.env)
  child.stdin.end()
  child.stdout.resume()
  await expect.poll(() => counts(one.env).then(({ contacts }) => contacts), { timeout: 30_000 }).toBeGreaterThan(20)
  return child
}

test('killed on one runner, an apply is completed on another after its lock has expired, and swept from either', async () => {
  const both = await runners({ service: SLOW_SERVICE, crowd: 150 })
  const { one, two } = both
  const child = await begun(both)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { exit, stdout, stderr } = await crm(two.line('apply'), two.env)
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining('Waiting for ') })
  expect(JSON.parse(stdout)).toHaveLength(272)
  expect(await counts(two.env)).toEqual({ contacts: 152, deals: 61 })
  expect(JSON.parse(await crmPrints(one.line('status'), one.env))).toHaveLength(272)
  await crmPrints(['fixtures', 'sweep', '--older-than', '1ms', '--yes'], one.env)
  expect(await counts(one.env)).toEqual({ contacts: 1, deals: 0 })
  expect(JSON.parse(await crmPrints(two.line('status'), two.env))).toEqual([])
})

test('stopped on one runner, and continued after another has destroyed the run, an apply makes nothing and is exit 7', async () => {
  // At any time some thirty responses are under way, and are read first when the process goes on.
  const both = await runners({ service: ['--rate-limit', 'none'], crowd: 600, latencyMs: 300 })
  const { two } = both
  const child = await begun(both)
  child.kill('SIGSTOP')
  const destroyed = await crm(two.line('destroy'), two.env)
  expect({ exit: destroyed.exit, left: await counts(two.env) }).toEqual({ exit: 0, left: { contacts: 1, deals: 0 } })
  child.kill('SIGCONT')
  const { exit, stderr } = await child.done
  expect({ exit, stderr }).toEqual({ exit: 7, stderr: expect.stringContaining('lock of') })
  expect(await counts(two.env)).toEqual({ contacts: 1, deals: 0 })
})

const OF_JOBS = `version: 1
contacts:
  ada: { name: Ada, email: "ada+\${env:REPOSITORY}+\${run.id}@x.test" }
  crowd: { $count: 30, name: "C \${i}", email: "c\${i}+\${env:REPOSITORY}+\${run.id}@x.test" }
deals: { big: { name: "\${contacts.ada.email}", stage: Lead } }
`

test('ten jobs at once on one machine, in two repositories with files of one name, half of them killed: each ends with its own', async () => {
  const { env, url } = await startService(['--rate-limit', '300/1s'])
  const shared = emptyHome({ CRM_BASE_URL: url, CRM_API_KEY: env.CRM_API_KEY ?? '', CRM_STATE_HOME: tempFolder() })
  await crmPrints(['contacts', 'create', '--set', 'name=Other', '--set', 'email=other@x.test'], shared)
  const jobs = ['a', 'b'].flatMap((repository) => {
    const root = tempFolder()
    mkdirSync(join(root, '.git'))
    mkdirSync(join(root, 'test'))
    const file = join(root, 'test/fixtures.yaml')
    writeFileSync(file, OF_JOBS)
    writeFileSync(join(root, '.git/config'), `[remote "origin"]\n\turl = https://git.example/${repository}.git\n`)
    const own = { ...shared, REPOSITORY: repository }
    return [1, 2, 3, 4, 5].map((n) => ({
      env: own,
      file,
      runId: `${repository}-${n}`,
      isKilled: n % 2 === 0 || n === 5,
    }))
  })
  const emails = async () =>
    (JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], shared)) as { email: string }[]).map(
      ({ email }) => email,
    )
  await Promise.all(
    jobs.map(async ({ env: own, file, runId, isKilled }) => {
      const line = (verb: string) => ['fixtures', verb, file, '--run-id', runId, '-o', 'json']
      const child = startCrm(line('apply'), own)
      child.stdin.end()
      child.stdout.resume()
      const ended = once(child, 'exit')
      if (isKilled) {
        await sleep(200 + Math.random() * 400)
        child.kill('SIGKILL')
      }
      await ended
      const rows = JSON.parse(await crmPrints(line('apply'), own))
      expect(rows).toHaveLength(32)
      const states = JSON.parse(await crmPrints(line('status'), own)) as { state: string }[]
      expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['there']))
    }),
  )
  // Each of its own, once: 31 contacts of ten jobs, and the one of nobody.
  expect(new Set(await emails()).size).toBe((await emails()).length)
  expect(await emails()).toHaveLength(311)
  await Promise.all(
    jobs.map(({ env: own, file, runId }) =>
      crmPrints(['fixtures', 'destroy', file, '--run-id', runId, '--strict'], own),
    ),
  )
  expect(await emails()).toEqual(['other@x.test'])
  expect(JSON.parse(await crmPrints(['deals', 'list', '-o', 'json'], shared))).toEqual([])
}, 120_000)
