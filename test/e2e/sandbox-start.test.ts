import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { CRM, crm, crmPrints } from './crm.ts'

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

test('-o id prints the name, list shows what runs, and env has the forms of CI with the key masked', async () => {
  const env = home()
  expect(await crmPrints(['sandbox', 'start', '-o', 'id', '--name', 'checkout'], env)).toBe('checkout\n')
  onTestFinished(async () => void (await crm(['sandbox', 'stop', '--name', 'checkout'], env)))
  const [listed] = JSON.parse(await crmPrints(['sandbox', 'list', '-o', 'json'], env))
  expect(Object.keys(listed)).toEqual(['name', 'base_url', 'ends_at', 'pid'])
  const named = ['sandbox', 'env', '--name', 'checkout', '-o']
  const { CRM_API_KEY: key, CRM_BASE_URL: url } = JSON.parse(await crmPrints([...named, 'json'], env))
  expect(await crmPrints([...named, 'dotenv'], env)).toContain(`CRM_BASE_URL=${url}\nCRM_API_KEY=${key}\n`)
  const file = join(env.TMPDIR ?? '', 'github')
  expect(await crmPrints([...named, 'github'], { ...env, GITHUB_ENV: file })).toBe(`::add-mask::${key}\n`)
  expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`CRM_API_KEY<<(\\S+)\\n${key}\\n\\1\\n`))
})

test.each(['its end', 'SIGKILL'])(
  'a sandbox that the command of another starts ends with it, after %s',
  async (how) => {
    const env = home()
    const program = `
    const { execFileSync } = require('node:child_process')
    const { pid } = JSON.parse(execFileSync(process.execPath, [${JSON.stringify(CRM)}, 'sandbox', 'start', '-q', '-o', 'json']))
    require('node:fs').writeSync(1, String(pid))
    if (${JSON.stringify(how)} === 'SIGKILL') process.kill(process.ppid, 'SIGKILL')`
    const { stdout } = await crm(['sandbox', 'run', '--', process.execPath, '-e', program], env)
    await expect.poll(() => existsSync(`/proc/${Number(stdout)}`), { timeout: 10_000 }).toBe(false)
  },
)
