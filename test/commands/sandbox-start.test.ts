import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { crm, crmPrints, startRun } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'

/** A sandbox in the foreground of this process, and the variables that it prints. */
async function started(...flags: string[]) {
  const home = emptyHome({ CRM_STATE_HOME: tempFolder(), TMPDIR: tempFolder() })
  const { promise: ready, resolve } = Promise.withResolvers<string>()
  const running = startRun(['sandbox', 'start', '--foreground', ...flags], home, { onStdout: resolve })
  onTestFinished(async () => {
    running.interrupt('SIGTERM')
    await running.exit
  })
  const early = running.exit.then((exit) => {
    throw new Error(`ended with ${exit}: ${running.written.stderr}`)
  })
  early.catch(() => {})
  const state = JSON.parse(await Promise.race([ready, early]))
  const file = join(home.CRM_STATE_HOME ?? '', 'sandboxes', `${state.name}.json`)
  return { home, running, state, file }
}

test('a started sandbox is listed in a private file, and its key is in what env prints alone', async () => {
  const { home, state, file, running } = await started()
  expect(state).toMatchObject({ name: 'default', base_url: expect.stringContaining('http://127.0.0.1:') })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const env = JSON.parse(await crmPrints(['sandbox', 'env', '-o', 'json'], home))
  expect(env).toMatchObject({ CRM_BASE_URL: state.base_url, CRM_API_KEY: expect.stringMatching(/^crm_key_/) })
  expect(running.written.stdout + running.written.stderr).not.toContain(env.CRM_API_KEY)
  const exports = await crmPrints(['sandbox', 'env'], home)
  expect(exports).toContain(`export CRM_API_KEY=${env.CRM_API_KEY}\n`)
  expect(exports).toMatch(/unset CRM_PROFILE\n$/)
  // The environment of the sandbox has a state folder of its own, and its commands still find the sandbox.
  const inside = { ...home, ...env }
  expect(await crmPrints(['contacts', 'create', '--set', 'name=Ada', '-o', 'id'], inside)).toMatch(/^con_/)
  expect(JSON.parse(await crmPrints(['sandbox', 'env', '-o', 'json'], inside))).toEqual(env)
})

test('two jobs of one runner have a sandbox each without a --name, and a CI job without a known id needs one', async () => {
  const home = emptyHome({ CRM_STATE_HOME: tempFolder(), TMPDIR: tempFolder() })
  const job = (name: string) => ({ ...home, CI: 'true', GITHUB_RUN_ID: '1', GITHUB_JOB: name })
  const start = async (name: string) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const running = startRun(['sandbox', 'start', '--foreground'], job(name), { onStdout: resolve })
    onTestFinished(async () => {
      running.interrupt('SIGTERM')
      await running.exit
    })
    return JSON.parse(await promise) as Readonly<Record<string, string>>
  }
  const [a, b] = [await start('a'), await start('b')]
  const addressIn = async (name: string) =>
    JSON.parse(await crmPrints(['sandbox', 'env', '-o', 'json'], job(name))).CRM_BASE_URL
  expect(await Promise.all(['a', 'b'].map(addressIn))).toEqual([a.base_url, b.base_url])
  expect(a.base_url).not.toBe(b.base_url)
  expect(await crm(['sandbox', 'env'], job('c'))).toMatchObject({ exit: 6 })
  for (const verb of ['start', 'env', 'stop']) {
    const { exit, stderr } = await crm(['sandbox', verb, ...(verb === 'start' ? ['--foreground'] : [])], {
      ...home,
      CI: 'true',
    })
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining('--name "$BUILD_ID"') })
  }
})

test('a second one of the same name is refused, and one of another name is its own', async () => {
  const { home, state } = await started()
  const second = await crm(['sandbox', 'start', '--foreground'], home)
  expect(second).toMatchObject({
    exit: 13,
    stderr: expect.stringContaining(`default runs already, at ${state.base_url}`),
  })
  const { promise, resolve } = Promise.withResolvers<string>()
  const other = startRun(['sandbox', 'start', '--foreground', '--name', 'b'], home, { onStdout: resolve })
  expect(JSON.parse(await promise).base_url).not.toBe(state.base_url)
  other.interrupt('SIGTERM')
  expect(await other.exit).toBe(0)
  expect(await crm(['sandbox', 'env', '--name', 'b'], home)).toMatchObject({ exit: 6 })
})

test('it ends itself after its ttl, with its file and its data', async () => {
  const { home, running, file, state } = await started('--ttl', '1s')
  expect(await running.exit).toBe(0)
  expect(existsSync(file)).toBe(false)
  await expect(fetch(`${state.base_url}/healthz`)).rejects.toThrow()
  const gone = await crm(['sandbox', 'env'], home)
  expect(gone).toMatchObject({ exit: 6, stderr: expect.stringContaining('there is no sandbox default') })
  expect(await crm(['sandbox', 'stop'], home)).toMatchObject({ exit: 6 })
})

test('one whose process was killed is named as gone by env and stop, and a new one takes its place', async () => {
  const { home, file } = await started()
  const dead = { ...JSON.parse(readFileSync(file, 'utf8')), process: { pid: 4_190_001, startedAtMs: 1, mark: '' } }
  writeFileSync(join(file, '..', 'dead.json'), JSON.stringify({ ...dead, name: 'dead' }), { mode: 0o600 })
  const env = await crm(['sandbox', 'env', '--name', 'dead'], home)
  expect(env).toMatchObject({ exit: 6, stderr: expect.stringContaining('was killed, and its data is gone') })
  writeFileSync(join(file, '..', 'dead.json'), JSON.stringify({ ...dead, name: 'dead' }), { mode: 0o600 })
  const stop = await crm(['sandbox', 'stop', '--name', 'dead'], home)
  expect(stop).toMatchObject({ exit: 0, stderr: 'The sandbox dead had been killed; what it left is removed.\n' })
  expect(existsSync(join(file, '..', 'dead.json'))).toBe(false)
})

test('a killed one leaves no folder once a command has found it, and a folder of another process stays', async () => {
  const { home, file } = await started()
  const { pid } = spawnSync(process.execPath, ['-e', '0'])
  const host = hostname().replaceAll(/[^0-9a-zA-Z_.]/g, '_')
  const folder = (owner: number) => {
    const path = join(home.TMPDIR ?? '', `crm-sandbox-${host}-${owner}-abc`)
    mkdirSync(join(path, 'state'), { recursive: true })
    return path
  }
  const [own, other] = [folder(pid), folder(process.pid)]
  const write = (path: string) => {
    const env = { CRM_STATE_HOME: join(path, 'state') }
    const dead = {
      name: 'dead',
      baseUrl: 'http://127.0.0.1:1',
      env,
      endsAtMs: 1,
      process: { pid, startedAtMs: 1, mark: '' },
    }
    writeFileSync(join(file, '..', 'dead.json'), JSON.stringify(dead), { mode: 0o600 })
  }
  write(own)
  const run = await crm(['sandbox', 'env', '--name', 'dead'], home)
  expect(run).toMatchObject({
    exit: 6,
    stderr: expect.stringMatching(/was killed.*\n {2}crm sandbox start --name dead/),
  })
  expect(existsSync(own)).toBe(false)
  write(other)
  await crm(['sandbox', 'stop', '--name', 'dead'], home)
  expect(existsSync(other)).toBe(true)
})

test.each([
  [['-p', 'staging'], '-p staging has no effect on a sandbox'],
  [['--log', '/no/such/folder/x.log'], '--log service.log'],
  [['--ttl', '8d'], '--ttl is out of range'],
  [['--ttl', '30'], 'Expected a time span'],
  [['--name', '../x'], 'Expected up to 64 letters'],
  [['--seed', 'missing.yaml'], 'missing.yaml'],
])('sandbox start with %j says %s, and starts nothing', async (flags, text) => {
  const home = emptyHome({ CRM_STATE_HOME: tempFolder(), TMPDIR: tempFolder() })
  const { exit, stderr } = await crm(['sandbox', 'start', '--foreground', ...flags], home)
  expect({ exit, stderr }).toEqual({ exit: flags[0] === '--log' ? 13 : 2, stderr: expect.stringContaining(text) })
  expect(existsSync(join(home.CRM_STATE_HOME ?? '', 'sandboxes', 'default.json'))).toBe(false)
})
