import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { crm } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { crm as builtCrm, CRM, crmPrints, startCrm } from './crm.ts'

const NODE = process.execPath

/** Where a sandbox makes its folder is the test's own, so that what it leaves can be seen. */
function home() {
  const TMPDIR = tempFolder()
  return { env: emptyHome({ TMPDIR }), left: () => readdirSync(TMPDIR) }
}

test('a command finds a service that is its own, in an environment that points nowhere else', async () => {
  const { env, left } = home()
  const elsewhere = { ...env, CRM_PROFILE: 'production', CRM_BASE_URL: 'https://crm.example.com', CRM_API_KEY: 'k' }
  const program = `
    const { execFileSync } = require('node:child_process')
    const crm = (...args) => execFileSync(${JSON.stringify(NODE)}, [${JSON.stringify(CRM)}, ...args], { encoding: 'utf8' })
    crm('contacts', 'create', '--set', 'name=Ada')
    const [{ name }] = JSON.parse(crm('contacts', 'list', '-o', 'json'))
    const { CRM_BASE_URL, CRM_PROFILE = null, CRM_CONFIG_HOME, CRM_STATE_HOME } = process.env
    console.log(JSON.stringify({ name, CRM_BASE_URL, CRM_PROFILE, CRM_CONFIG_HOME, CRM_STATE_HOME }))`
  const seen = JSON.parse(await crmPrints(['sandbox', 'run', '--', NODE, '-e', program], elsewhere))
  expect(seen).toMatchObject({ name: 'Ada', CRM_PROFILE: null })
  expect(seen.CRM_BASE_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  for (const path of [seen.CRM_CONFIG_HOME, seen.CRM_STATE_HOME]) expect(path).toContain(`${env.TMPDIR}/crm-sandbox-`)
  expect(left()).toEqual([])
  expect(readdirSync(env.HOME)).toEqual([])
})

test.each([0, 1, 42])('the exit code %i of the command is that of crm', async (code) => {
  const { env } = home()
  expect(await crm(['sandbox', 'run', NODE, '-e', `process.exit(${code})`], env)).toMatchObject({
    exit: code,
    stderr: '',
  })
})

test('a command that a signal ended has the exit code that a shell gives it', async () => {
  const { env } = home()
  const { exit } = await crm(['sandbox', 'run', NODE, '-e', 'process.kill(process.pid, "SIGKILL")'], env)
  expect(exit).toBe(137)
})

test('a missing command is exit 2, and no folder is left', async () => {
  const { env, left } = home()
  const { exit, stderr } = await crm(['sandbox', 'run', '--', 'no-such-command'], env)
  expect({ exit, first: stderr.split('\n')[0] }).toEqual({
    exit: 2,
    first: 'crm: cannot run "no-such-command": command not found',
  })
  expect(left()).toEqual([])
})

test('stdin and flags behind the command are its own', async () => {
  const { env } = home()
  const { stdout } = await builtCrm(['sandbox', 'run', 'cat', '-u', '-'], env, 'from outside')
  expect(stdout).toBe('from outside')
})

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGINT', 9],
  ['SIGQUIT', 9],
  ['SIGUSR1', 9],
  ['SIGUSR2', 9],
] as const)('%s reaches the command, and sandbox run ends with %i', async (name, exit) => {
  const { env, left } = home()
  const waiting = `process.on("${name}", () => process.exit(9)); console.log("ready"); setInterval(() => {}, 1000)`
  const child = startCrm(['sandbox', 'run', '--', NODE, '-e', waiting], env)
  await once(createInterface(child.stdout), 'line')
  child.kill(name)
  expect(await child.done).toMatchObject({ exit })
  expect(left()).toEqual([])
})

test('SIGTERM while it is seeded ends the sandbox with 143', async () => {
  const { env, left } = home()
  const seed = join(env.HOME, 'seed.yaml')
  writeFileSync(seed, 'version: 1\ncontacts: { c: { $count: 100000, name: "${fake.name}" } }\n')
  const child = startCrm(['sandbox', 'run', '--seed', seed, '--', NODE, '-e', 'console.log("started")'], env)
  await expect.poll(() => left().length, { timeout: 20_000 }).toBe(1)
  child.kill('SIGTERM')
  expect(await child.done).toMatchObject({ exit: 143 })
  expect(left()).toEqual([])
})

/** A process that ended and was not reaped yet does not run any more. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

test('a command that ignores SIGTERM is killed, with what it started, and sandbox run ends with 143', async () => {
  const { env, left } = home()
  const ignoring = 'process.on("SIGTERM", () => {}); console.log(process.pid); setInterval(() => {}, 1000)'
  const child = startCrm(['sandbox', 'run', '--', 'sh', '-c', `trap '' TERM; "${NODE}" -e '${ignoring}'; true`], env)
  const [pid] = await once(createInterface(child.stdout), 'line')
  child.kill('SIGTERM')
  expect(await child.done).toMatchObject({ exit: 143 })
  await expect.poll(() => isRunning(Number(pid))).toBe(false)
  expect(left()).toEqual([])
})

test('SIGKILL of crm ends the command, with what it started', async () => {
  const { env } = home()
  const child = startCrm(
    ['sandbox', 'run', '--', 'sh', '-c', 'sleep 600 & sleep 0.1; echo $!; echo $$; sleep 600'],
    env,
  )
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const pids = [Number((await lines.next()).value), Number((await lines.next()).value)]
  child.kill('SIGKILL')
  await expect.poll(() => pids.filter(isRunning), { timeout: 5000 }).toEqual([])
})

test('after SIGKILL the service is gone, and the next sandbox removes the folder', async () => {
  const { env, left } = home()
  const program = 'console.log(process.env.CRM_BASE_URL); setTimeout(() => {}, 3000)'
  const child = startCrm(['sandbox', 'run', '--', NODE, '-e', program], env)
  const [url] = await once(createInterface(child.stdout), 'line')
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  expect(left()).toHaveLength(1)
  await crmPrints(['sandbox', 'run', '--', NODE, '-e', '0'], env)
  expect(left()).toEqual([])
})

test('the log of the service is kept when the command fails, and only then', async () => {
  const { env } = home()
  const log = join(env.HOME, 'service.log')
  const program = (exit: number) => `fetch(process.env.CRM_BASE_URL + '/healthz').then(() => process.exit(${exit}))`
  await crm(['sandbox', 'run', '--keep-log', log, '--', NODE, '-e', program(0)], env)
  expect(existsSync(log)).toBe(false)
  await crm(['sandbox', 'run', '--keep-log', log, '--', NODE, '-e', program(1)], env)
  expect(JSON.parse(readFileSync(log, 'utf8'))).toMatchObject({ method: 'GET', path: '/healthz', status: 200 })
  expect(statSync(log).mode & 0o777).toBe(0o600)
})

test('a log in place of a link or a device is refused, and both stay', async () => {
  const { env } = home()
  const [file, link] = [join(env.HOME, 'file'), join(env.HOME, 'link')]
  writeFileSync(file, 'mine')
  symlinkSync(file, link)
  for (const log of [link, '/dev/null', env.HOME]) {
    expect(await crm(['sandbox', 'run', '--keep-log', log, '--', 'true'], env)).toMatchObject({ exit: 13 })
    expect(existsSync(log)).toBe(true)
  }
  expect(readFileSync(file, 'utf8')).toBe('mine')
})

test('a folder that cannot be created is exit 13 with the reason', async () => {
  const { env } = home()
  const file = join(env.HOME, 'file')
  writeFileSync(file, '')
  for (const TMPDIR of [join(env.HOME, 'missing'), file]) {
    const { exit, stderr } = await crm(['sandbox', 'run', '--', 'true'], { ...env, TMPDIR })
    expect({ exit, stderr }).toEqual({
      exit: 13,
      stderr: expect.stringContaining(`crm: cannot create the folder of the sandbox in ${TMPDIR}: `),
    })
  }
})

test('every mistake in its seeds is reported, including those that only the service would find', async () => {
  const { env, left } = home()
  const seed = join(env.HOME, 'demo.yaml')
  const run = () => crm(['sandbox', 'run', '--seed', seed, '--', 'echo', 'ran'], env)
  writeFileSync(
    seed,
    'version: 1\ndeals:\n  a: { name: A, stage: Wno }\n  b: { name: B, stage: Won, pipeline_id: saels }\n',
  )
  expect(await run()).toEqual({
    exit: 2,
    stdout: '',
    stderr: `${seed}:3:24: there is no stage "Wno"; did you mean "Won"?
${seed}:4:42: there is no pipeline "saels"; did you mean "sales"?
crm: 2 mistakes in ${seed}; nothing was sent
  crm fixtures schema > crm-fixtures.schema.json lets an editor report them
`,
  })
  writeFileSync(seed, `version: 1\ncontacts: { a: { name: ${'x'.repeat(70_000)} } }\n`)
  expect(await run()).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(
      `crm: ${seed}:2:13: contacts.a was rejected; body: the record would have 70126 bytes, expected at most 65536`,
    ),
  })
  expect(left()).toEqual([])
})

test('a client that retries gets through a service that fails, and each write happens once', async () => {
  const { env } = home()
  const program = `
    const { execFileSync } = require('node:child_process')
    const crm = (...args) => execFileSync(${JSON.stringify(NODE)}, [${JSON.stringify(CRM)}, ...args], { encoding: 'utf8' })
    for (const name of ['Ada', 'Grace', 'Emmy']) crm('contacts', 'create', '--set', 'name=' + name)
    console.log(crm('contacts', 'list', '-o', 'id').trim().split('\\n').length)`
  const faults = ['--fail', '500-after=20%,reset-after=20%,502=10%', '--latency', '1ms']
  expect(await crmPrints(['sandbox', 'run', ...faults, '--', NODE, '-e', program], env)).toBe('3\n')
})

test('the clock of the service starts where it was set', async () => {
  const { env } = home()
  const words = [NODE, CRM, 'contacts', 'create', '--set', 'name=Ada', '-o', 'json']
  const made = JSON.parse(await crmPrints(['sandbox', 'run', '--clock', '2026-01-01T00:00:00Z', '--', ...words], env))
  expect(made.created_at).toMatch(/^2026-01-01T00:00:/)
})

test.each([
  ['--fail', '500'],
  ['--fail', '600=1%'],
  ['--fail', '500=60%,reset=60%'],
  ['--clock', 'yesterday'],
])('%s %s is exit 2 before anything starts', async (flag, value) => {
  const { env, left } = home()
  const { exit, stdout } = await crm(['sandbox', 'run', flag, value, '--', 'echo', 'ran'], env)
  expect({ exit, stdout, left: left() }).toEqual({ exit: 2, stdout: '', left: [] })
})

test.each([
  ['--latency', '50', 'Expected a time with its unit'],
  ['--clock', '2026-02-31T00:00:00Z', 'Expected a time such as'],
])('%s %s is refused, and not taken for something else', async (flag, value, reason) => {
  const { exit, stderr } = await crm(['sandbox', 'run', flag, value, '--', 'true'], emptyHome())
  expect(exit).toBe(2)
  expect(stderr).toContain(reason)
})

test('a log is kept over an earlier one, and over no other file', async () => {
  const folder = tempFolder()
  const [log, notes] = [join(folder, 'service.log'), join(folder, 'notes.txt')]
  writeFileSync(notes, 'precious\n')
  const run = (file: string) => crm(['sandbox', 'run', '--keep-log', file, '--', 'sh', '-c', 'false'], emptyHome())
  expect((await run(notes)).exit).toBe(13)
  expect(readFileSync(notes, 'utf8')).toBe('precious\n')
  for (const _ of [1, 2]) expect((await run(log)).exit).toBe(1)
  expect(existsSync(log)).toBe(true)
})

test('a command that has no name is exit 2, and no bug', async () => {
  const { exit, stderr } = await crm(['sandbox', 'run', '--', ''], emptyHome())
  expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining('cannot run "": command not found') })
})

test('what serve takes, a sandbox takes: objects, unique members, an address, a key; --set and --clock reach the fixtures', async () => {
  const { env, left } = home()
  const folder = tempFolder()
  const [objects, seed] = [join(folder, 'objects.yaml'), join(folder, 'seed.yaml')]
  writeFileSync(objects, 'objects: { machines: { fields: { serial: {} } } }\n')
  writeFileSync(seed, 'version: 1\ncontacts: { a: { name: "${now - 1d}", email: a@x.test } }\n')
  const program = `
    const { spawnSync } = require('node:child_process')
    const crm = (...args) => spawnSync(${JSON.stringify(NODE)}, [${JSON.stringify(CRM)}, ...args], { encoding: 'utf8' })
    const { CRM_BASE_URL, CRM_API_KEY, NO_PROXY, no_proxy } = process.env
    crm('machines', 'create', '--set', 'serial=7')
    const [{ serial }] = JSON.parse(crm('machines', 'list', '-o', 'json').stdout)
    const [{ name, email }] = JSON.parse(crm('contacts', 'list', '-o', 'json').stdout)
    const twice = crm('contacts', 'create', '--set', 'name=B', '--set', 'email=b@x.test').status
    console.log(JSON.stringify({ serial, name, email, twice, CRM_BASE_URL, CRM_API_KEY, NO_PROXY, no_proxy }))`
  const words = ['--objects', objects, '--unique', 'contacts.email', '--host', '0.0.0.0']
  const fixtures = ['--seed', seed, '--set', 'contacts.a.email=b@x.test', '--clock', '2026-05-05T00:00:00Z']
  const given = { ...env, CRM_SANDBOX_KEY: 'key-of-a-compose-file', no_proxy: '.corp.example' }
  const seen = JSON.parse(await crmPrints(['sandbox', 'run', ...words, ...fixtures, '--', NODE, '-e', program], given))
  expect(seen).toEqual({
    ...{ serial: '7', name: '2026-05-04T00:00:00Z', email: 'b@x.test', twice: 7, CRM_API_KEY: 'key-of-a-compose-file' },
    CRM_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    NO_PROXY: '.corp.example,127.0.0.1,localhost,::1',
    no_proxy: '.corp.example,127.0.0.1,localhost,::1',
  })
  expect(left()).toEqual([])
})

test('--verify compares the sandbox with what its fixtures expect, after a command that succeeds', async () => {
  const { env } = home()
  const seed = join(tempFolder(), 'seed.yaml')
  writeFileSync(
    seed,
    'version: 1\ncontacts: { a: { name: A } }\nexpect: [{ count: 2, of: contacts }, { record: contacts.a, has: { name: A } }]\n',
  )
  const run = (program: string) => crm(['sandbox', 'run', '--seed', seed, '--verify', '--', NODE, '-e', program], env)
  const create = `require('node:child_process').execFileSync(${JSON.stringify(NODE)}, [${JSON.stringify(CRM)}, 'contacts', 'create', '--set', 'name=B'])`
  expect((await run(create)).exit).toBe(0)
  expect(await run('0')).toMatchObject({
    exit: 10,
    stderr: expect.stringContaining('seed.yaml:3:10: contacts is 1, expected 2'),
  })
  expect((await run('process.exit(3)')).exit).toBe(3)
})

test('a sandbox has the pipelines of its fixtures', async () => {
  const { env } = home()
  const seed = join(tempFolder(), 'seed.yaml')
  writeFileSync(
    seed,
    'version: 1\npipelines: [{ id: repairs, stages: [In, Out] }]\ndeals: { d: { name: D, stage: Out } }\n',
  )
  const deals = await crmPrints(['sandbox', 'run', '--seed', seed, '--', NODE, CRM, 'deals', 'list', '-o', 'json'], env)
  expect(JSON.parse(deals)).toMatchObject([{ name: 'D', stage: 'Out', pipeline_id: 'repairs' }])
})
