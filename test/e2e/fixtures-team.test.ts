import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
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
