import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { type Env, emptyHome, tempFolder } from '../harness/home.ts'
import { expectRefusal } from '../harness/refusal.ts'
import type { Service } from '../harness/service.ts'
import { HAS_PROVIDER } from '../oauth/authorization-server.ts'
import { filesWith, openAuthorized } from '../oauth/signed-up.ts'
import { crm, crmPrints } from './crm.ts'
import { startService } from './service.ts'
import { test } from './shared-service.ts'
import { signInAtTerminal, withBrowser } from './signing-in.ts'
import { HAS_TMUX, openTerminal } from './terminal.ts'

const HAS_SECRET_SERVICE =
  spawnSync('gnome-keyring-daemon', ['--version']).status === 0 && spawnSync('dbus-daemon', ['--version']).status === 0

const login = ({ url }: Service, ...args: string[]) => [
  'auth',
  'login',
  '--base-url',
  url,
  '-p',
  'here',
  '--key-stdin',
  ...args,
]

/** All that is in the files of the settings folder. */
function kept(home: Env): string {
  const folder = join(home.HOME ?? '', '.config/crm')
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
}

describe.skipIf(!HAS_SECRET_SERVICE)('with a Secret Service (skipped where gnome-keyring is not installed)', () => {
  test('login keeps the key in the keyring and not in a file, and every command finds it there', async ({
    service,
  }) => {
    const home = emptyHome()
    const env = { ...home, ...(await startSecretService(home, true)) }
    const { exit, stderr } = await crm(login(service), env, service.key)
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringContaining('the key is in the system keyring (crm, here '),
    })
    expect(kept(home)).not.toContain(service.key)
    expect(await crmPrints(['auth', 'token'], env)).toBe(`${service.key}\n`)
    expect(JSON.parse(await crmPrints(['auth', 'status', '-o', 'json'], env))).toMatchObject({
      source: 'keyring',
      kept_in: expect.stringContaining(`the system keyring (crm, here ${service.url} `),
      bound_to: service.url,
      last_four: service.key.slice(-4),
      shadows: [],
      accepted: true,
    })
    expect(await crmPrints(['auth', 'status', '--all', '-o', 'csv'], env)).toContain('keyring')
  })

  test.skipIf(!HAS_PROVIDER || !HAS_TMUX)(
    'a sign-in by OAuth is kept there, and so is each renewal; no file has a secret of it',
    async () => {
      const callback = `http://127.0.0.1:${await freePort()}/callback`
      const terms = { tokenSeconds: 2, callback }
      const { authorization, env: home, anywhere, gate } = await openAuthorized(startService, terms)
      const env = { ...home, ...(await startSecretService(home, true)) }
      const words = [...anywhere, '--client-id', 'crm', '--callback', callback]
      const shown = await signInAtTerminal(words, withBrowser(env).env)
      expect(shown).toMatch(/the tokens are in the system keyring \(crm, own .*exit=0/s)
      const tokens = new Set<string>()
      // Each process has the refresh token that the one before has kept.
      for (let at = 0; at < 3; at++) {
        await new Promise((resolve) => setTimeout(resolve, 2100))
        expect(await crmPrints(['contacts', 'list', '-o', 'json'], env)).toBe('[]\n')
        tokens.add((await crmPrints(['auth', 'token'], env)).trim())
      }
      // On a busy machine a token also ends between the two commands.
      const asked = authorization.asked.map(({ grant, status }) => `${grant} ${status}`)
      expect([...new Set(asked)]).toEqual(['authorization_code 200', 'refresh_token 200'])
      expect(asked.length).toBeGreaterThan(3)
      expect([tokens.size, gate.tokens.size, gate.refused()]).toEqual([3, 4, 0])
      expect(JSON.parse(await crmPrints(['auth', 'status', '-o', 'json'], env))).toMatchObject({
        ...{ source: 'keyring', sign_in: 'code', is_renewed: true },
      })
      const secrets = [...authorization.secrets.keys()]
      expect(secrets.flatMap((secret) => filesWith(home.HOME, secret))).toEqual([])
      await crmPrints(['auth', 'logout'], env)
      expect((await crm(['auth', 'token'], env)).stderr).toContain('there is no key')
    },
  )

  test('logout takes it out of the keyring too; a login to a file does as well', async ({ service }) => {
    const home = emptyHome()
    const env = { ...home, ...(await startSecretService(home, true)) }
    await crmPrints(login(service), env, service.key)
    await crmPrints(['auth', 'logout'], env)
    expect(await crm(['auth', 'token'], env)).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining('there is no key'),
    })

    await crmPrints(login(service), env, service.key)
    const index = kept(home)
    await crmPrints(login(service, '--storage', 'file'), env, service.key)
    expect(kept(home)).toContain(service.key)
    // What our file said before leads nowhere now.
    writeFileSync(
      join(home.HOME, '.config/crm/keys.json'),
      /\{\s+"here": \{\s+"origin"[^}]+\}\s+\}/.exec(index)?.[0] ?? '',
    )
    expect((await crm(['auth', 'token'], env)).stderr).toContain('no longer in the system keyring')
  })

  test('a locked keyring is reported once, and the command continues without it', async ({ service }) => {
    const home = emptyHome()
    await crmPrints(login(service), { ...home, ...(await startSecretService(home, true)) }, service.key)
    const locked = { ...home, ...(await startSecretService(home, false)) }
    const list = await crm(['contacts', 'list'], locked)
    expect(list).toMatchObject({
      exit: 4,
      stderr: expect.stringMatching(/^Warning: the system keyring cannot be used: .*\ncrm: there is no key/),
    })
    const refusal = { exit: 13, code: 'machine', what: /is not forgotten/, next: /crm auth logout -p here/ }
    await expectRefusal({ args: ['auth', 'logout'], env: locked }, refusal)
    expect(kept(home)).toContain('"keyring"')
  })

  test('a key of the keyring is not sent where our file says, when it was stored for another server', async ({
    service,
  }) => {
    const home = emptyHome()
    const env = { ...home, ...(await startSecretService(home, true)) }
    await crmPrints(login(service), env, service.key)
    const keys = join(home.HOME, '.config/crm/keys.json')
    const { here } = JSON.parse(readFileSync(keys, 'utf8'))
    writeFileSync(keys, JSON.stringify({ here: { ...here, origin: 'http://127.0.0.1:9' } }))
    await crmPrints(['config', 'set', 'base_url', 'http://127.0.0.1:9'], env)
    expect(await crm(['contacts', 'list'], env)).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining('no longer in the system keyring'),
    })
  })
})

/** A bus that takes connections and never says a word. */
async function startSilentBus(): Promise<Env> {
  const path = join(tempFolder(), 'bus')
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket)).listen(path)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await once(server, 'listening')
  return { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` }
}

test.skipIf(process.platform !== 'linux')(
  'one that never answers costs 3 s, the key goes where it is asked to, and the process ends',
  async ({ service }) => {
    const env = { ...emptyHome(), ...(await startSilentBus()) }
    const startMs = performance.now()
    const what = /the system keyring cannot be used: it does not answer.*keys\.json/
    await expectRefusal(
      { args: login(service), env, input: service.key },
      { exit: 11, code: 'unconfirmed', what, next: /crm auth login .*--storage file/ },
    )
    expect(performance.now() - startMs).toBeGreaterThan(3000)
    expect(await crm(login(service, '--storage', 'file'), env, service.key)).toMatchObject({ exit: 0 })
  },
)

test('without one, login says so; --storage keyring writes nothing', async ({ service }) => {
  const env = emptyHome()
  const args = login(service, '--storage', 'keyring')
  const what = /cannot be used: there is none in this session/
  const next = new RegExp(`: crm auth login --base-url ${service.url} -p here --key-stdin (-o json )?--storage file$`)
  await expectRefusal({ args, env, input: service.key }, { exit: 13, code: 'machine', what, next })
  expect(readdirSync(env.HOME)).toEqual([])
})

/** Of the files that crm and what it started have loaded, those that have to do with a keyring. */
async function keyringFilesOf(args: readonly string[], env: Env, input = ''): Promise<readonly string[]> {
  const NODE_V8_COVERAGE = tempFolder()
  await crm(args, { ...env, NODE_V8_COVERAGE }, input)
  const written = readdirSync(NODE_V8_COVERAGE).map((name) => readFileSync(join(NODE_V8_COVERAGE, name), 'utf8'))
  expect(written.length).toBeGreaterThan(0)
  return written.flatMap(
    (text) => text.match(/[\w./@-]*(?:ask-keyring\.js|bin\/keyring\.js|keyring[\w.-]*\.node)(?=")/g) ?? [],
  )
}

describe.skipIf(!HAS_TMUX)('on a terminal without a keyring (skipped where tmux is not installed)', () => {
  test.for([
    ['y', 'exit=0', true],
    ['n', 'exit=11', false],
  ] as const)('login says why there is none and asks before it writes a file: %s', async (row, { service }) => {
    const [answer, end, isKept] = row
    const home = emptyHome()
    const terminal = openTerminal(['auth', 'login', '--base-url', service.url], home, { columns: 160, rows: 24 })
    await terminal.sees(`API key for ${service.url}:`)
    terminal.type(service.key)
    terminal.press('Enter')
    await terminal.sees('Note: the system keyring cannot be used: there is none in this session.')
    await terminal.sees('/keys.json? [y/N]')
    expect(readdirSync(home.HOME)).toEqual([])
    terminal.type(answer)
    terminal.press('Enter')
    expect(await terminal.sees(end)).not.toContain(service.key)
    expect(readdirSync(home.HOME).length > 0 && kept(home).includes(service.key)).toBe(isKept)
  })
})

test('with CRM_API_KEY, and with a key in a file, no keyring is asked and nothing for it is loaded', async ({
  service,
}) => {
  const home = emptyHome()
  await crmPrints(login(service, '--storage', 'file'), home, service.key)
  const bus = await startSilentBus()
  expect(await keyringFilesOf(['contacts', 'list'], { ...home, ...bus })).toEqual([])
  const given = emptyHome({ CRM_API_KEY: service.key, CRM_BASE_URL: service.url, ...bus })
  expect(await keyringFilesOf(['contacts', 'list'], given)).toEqual([])
  // The measure itself: where the keyring is asked, it shows.
  expect(await keyringFilesOf(login(service), { ...emptyHome(), ...bus }, service.key)).toEqual([
    expect.stringContaining('ask-keyring'),
  ])
})

/** A bus of its own, with GNOME's keyring on it, whose collection of this HOME is unlocked or not; gives what a session has in its environment. */
async function startSecretService(env: Env & { readonly HOME: string }, isUnlocked: boolean): Promise<Env> {
  const runtime = join(env.HOME, 'run')
  mkdirSync(runtime, { recursive: true, mode: 0o700 })
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(bus, 'close')
  // The keyring ends with its bus.
  onTestFinished(async () => {
    bus.kill()
    await ended
  })
  const [address] = await once(bus.stdout.setEncoding('utf8'), 'data')
  const session = { DBUS_SESSION_BUS_ADDRESS: String(address).trim(), XDG_RUNTIME_DIR: runtime }
  const args = isUnlocked ? ['--unlock'] : ['--daemonize']
  execFileSync('gnome-keyring-daemon', [...args, '--components=secrets'], {
    env: { ...env, ...session },
    input: isUnlocked ? 'password' : '',
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  return session
}
