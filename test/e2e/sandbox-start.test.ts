import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { crm, crmPrints } from './crm.ts'

function home() {
  const env = emptyHome({ CRM_STATE_HOME: tempFolder(), TMPDIR: tempFolder() })
  onTestFinished(async () => void (await crm(['sandbox', 'stop'], env)))
  return env
}

test('a sandbox outlives the command that started it, its key is in no argv, and stop removes all of it', async () => {
  const env = home()
  const { pid, base_url: url } = JSON.parse(await crmPrints(['sandbox', 'start', '-o', 'json'], env))
  const inside = JSON.parse(await crmPrints(['sandbox', 'env', '-o', 'json'], env))
  expect(inside.CRM_BASE_URL).toBe(url)
  const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  expect(argv).toContain('sandbox')
  expect(argv).not.toContain(inside.CRM_API_KEY)
  await crmPrints(['contacts', 'create', '--set', 'name=Ada'], { ...env, ...inside })
  await crmPrints(['sandbox', 'stop'], { ...env, ...inside })
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  expect(readdirSync(env.TMPDIR ?? '')).toEqual([])
  expect(readdirSync(join(env.CRM_STATE_HOME ?? '', 'sandboxes'))).toEqual([])
})

test('after kill -9, env says that it was killed, and start begins a new one and removes what was left', async () => {
  const env = home()
  const { pid } = JSON.parse(await crmPrints(['sandbox', 'start', '-o', 'json'], env))
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => crm(['sandbox', 'env'], env).then(({ stderr }) => stderr)).toContain('was killed')
  await crmPrints(['sandbox', 'start', '-o', 'json'], env)
  expect(readdirSync(env.TMPDIR ?? '')).toHaveLength(1)
  expect(await crm(['sandbox', 'start'], env)).toMatchObject({ exit: 13 })
})

test('a mistake in a seed is shown by start, with its exit code, and nothing runs', async () => {
  const env = home()
  const { exit, stderr } = await crm(['sandbox', 'start', '--seed', 'missing.yaml'], env)
  expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining('missing.yaml') })
})
