import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { sendJson, startServer } from '../api/answering-server.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { type Env, emptyHome, tempFolder } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { expectRefusal } from '../harness/refusal.ts'
import { newKey, type Service } from '../harness/service.ts'
import { test } from '../harness/shared-service.ts'

async function logIn({ url, key }: Service, home: Env, ...args: string[]): Promise<void> {
  await crmPrints(['auth', 'login', '--base-url', url, '--storage', 'file', '--key-stdin', ...args], home, key)
}

describe('auth login', () => {
  test('stores a key from stdin in a private file, and makes its profile active', async ({ service }) => {
    const home = emptyHome()
    const args = ['auth', 'login', '--base-url', service.url, '-p', 'here', '--storage', 'file', '--key-stdin']
    const { exit, stdout, stderr } = await crm(args, home, `${service.key}\n`)
    const folder = join(home.HOME, '.config/crm')
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '' })
    expect(stderr).toBe(`Logged in to ${service.url}; the key is in ${folder}/keys.json. Active profile: here.\n`)
    expect((await crm(['contacts', 'list', '-o', 'id'], home)).exit).toBe(0)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    expect(await crmPrints(['auth', 'token'], home)).toBe(`${service.key}\n`)
  })

  test('leaves the active profile, unless --use asks for the new one', async ({ service }) => {
    const home = emptyHome()
    await logIn(service, home, '-p', 'first')
    const second = ['auth', 'login', '--base-url', service.url, '--storage', 'file', '--key-stdin', '-p', 'second']
    const kept = await crm(second, home, service.key)
    expect(kept.stderr).toContain('Active profile: first.\n-p second uses this one, and crm auth switch second makes')
    const used = await crm([...second, '--use'], home, service.key)
    expect(used.stderr).toContain('Active profile: second.\n')
  })

  test('takes a key from a file', async ({ service }) => {
    const file = join(tempFolder(), 'key')
    writeFileSync(file, `${service.key}\n`)
    const home = emptyHome()
    await crmPrints(['auth', 'login', '--base-url', service.url, '--storage', 'file', '--key-file', file], home)
    expect(await crmPrints(['auth', 'token'], home)).toBe(`${service.key}\n`)
  })

  test('without consent to a file is 11 and writes nothing', async ({ service }) => {
    const home = emptyHome()
    await expectRefusal(
      { args: ['auth', 'login', '--base-url', service.url, '--key-stdin'], env: home, input: service.key },
      { exit: 11, code: 'unconfirmed', what: /keys\.json/, next: /--storage file/ },
    )
    expect(readdirSync(home.HOME)).toEqual([])
  })

  test('with a key that the server refuses is 4 and writes nothing', async ({ service }) => {
    const home = emptyHome()
    const args = ['auth', 'login', '--base-url', service.url, '--storage', 'file', '--key-stdin']
    const refusal = { exit: 4, code: 'unauthorized', what: /nothing was stored/, next: /crm auth login/ }
    await expectRefusal({ args, env: home, input: 'crm_key_wrong123456' }, refusal)
    expect(readdirSync(home.HOME)).toEqual([])
  })
})

test('ending the protection of a profile asks, and status shows the protection that another profile gives', async ({
  service,
}) => {
  const home = emptyHome()
  await logIn(service, home, '-p', 'prod', '--protected')
  await logIn(service, home, '-p', 'copy')
  const rows = JSON.parse(await crmPrints(['auth', 'status', '--all', '-o', 'json'], home))
  expect(rows).toMatchObject([
    { profile: 'copy', protected: true, active: false },
    { profile: 'prod', protected: true, active: true },
  ])
  const set = ['config', 'set', 'protected', 'false', '-p', 'prod']
  const refusal = { exit: 11, code: 'unconfirmed', what: /prod .* is protected/, next: /--yes/ } as const
  await expectRefusal({ args: set, env: home }, refusal)
  expect(await crmPrints(['config', 'get', 'protected', '-p', 'prod'], home)).toBe('true\n')
  await crmPrints([...set, '--yes'], home)
  expect(await crmPrints(['config', 'get', 'protected', '-p', 'prod'], home)).toBe('false\n')
})

test('a setting of a missing profile names the command that creates it', async () => {
  const args = ['config', 'set', 'page_size', '7', '-p', 'new']
  const what = /there is no profile "new"/
  await expectRefusal(
    { args, env: emptyHome() },
    { exit: 2, code: 'usage', what, next: /config set base_url .* -p new/ },
  )
})

describe('profiles', () => {
  test('a key that is no longer accepted leads to a login under its profile', async () => {
    const { url } = await startServer((response, _, nth) =>
      nth <= 2
        ? sendJson(response, 200, nth === 1 ? { data: [{ id: 'con_1' }], next_cursor: null } : { id: 'con_1' })
        : sendJson(response, 401, { message: 'the key has expired' }),
    )
    const home = emptyHome()
    const login = ['auth', 'login', '--base-url', url.origin, '-p', 'acme', '--storage', 'file', '--key-stdin']
    await crmPrints(login, home, newKey())
    const list = { exit: 4, code: 'unauthorized', what: /the key has expired \(401\)/ }
    const next = new RegExp(`^crm auth login --base-url ${url.origin} -p acme$`)
    await expectRefusal({ args: ['contacts', 'list'], env: home }, { ...list, next })
    const env = { ...home, CRM_API_KEY: newKey() }
    await expectRefusal(
      { args: ['contacts', 'list'], env },
      { ...list, next: /^set CRM_API_KEY to another key, or unset it and: crm auth login .* -p acme$/ },
    )
  })

  test('auth switch, CRM_PROFILE and -p choose one, in rising order', async ({ service }) => {
    const home = emptyHome()
    for (const name of ['a', 'b', 'c']) await logIn(service, home, '-p', name)
    await crmPrints(['auth', 'switch', 'a'], home)
    const used = async (env: Env, ...args: string[]) =>
      JSON.parse(await crmPrints(['auth', 'status', '-o', 'json', ...args], env)).profile
    expect(await used(home)).toBe('a')
    expect(await used({ ...home, CRM_PROFILE: 'b' })).toBe('b')
    expect(await used({ ...home, CRM_PROFILE: 'b' }, '-p', 'c')).toBe('c')
  })

  test('auth status names the source, what it shadows, and four characters of the key', async ({ service }) => {
    const home = emptyHome()
    await logIn(service, home, '-p', 'here')
    const stdout = await crmPrints(['auth', 'status', '-o', 'json'], { ...home, CRM_API_KEY: service.key })
    expect(JSON.parse(stdout)).toMatchObject({
      profile: 'here',
      source: 'CRM_API_KEY',
      shadows: ['file'],
      last_four: service.key.slice(-4),
      accepted: true,
      key_id: expect.stringMatching(/^key_/),
      key_name: 'first',
      scopes: ['read', 'write'],
      expires_at: null,
      rate_limit: '1000/10s',
      account: null,
    })
    expect(stdout).not.toContain(service.key)
  })

  test('auth status has the rate limit of headers, and says what the server does not state about the key', async () => {
    const { url } = await startServer((response) => {
      response.setHeader('ratelimit-policy', '"default";q=50;w=60')
      response.setHeader('ratelimit', '"default";r=49;t=60')
      sendJson(response, 200, { data: [], next_cursor: null })
    })
    const env = { ...emptyHome(), CRM_BASE_URL: url.origin, CRM_API_KEY: newKey() }
    const { exit, stdout, stderr } = await crm(['auth', 'status', '-o', 'json'], env)
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ accepted: true, key_name: null, scopes: null, rate_limit: '50/1m' })
    expect(stderr).toBe(`${url.host} does not state this about the key: name, scopes, expiry, account.\n`)
  })

  test('auth status --all lists the profiles and marks the active one, without asking a server', async ({
    service,
  }) => {
    const home = emptyHome()
    await logIn(service, home, '-p', 'here', '--protected')
    await crmPrints(['config', 'set', 'base_url', 'https://nowhere.invalid', '-p', 'there'], home)
    const stdout = await crmPrints(['auth', 'status', '--all', '-o', 'json'], home)
    expect(JSON.parse(stdout)).toEqual([
      {
        profile: 'here',
        active: true,
        base_url: service.url,
        protected: true,
        key: 'file',
        last_four: service.key.slice(-4),
      },
      {
        profile: 'there',
        active: false,
        base_url: 'https://nowhere.invalid',
        protected: false,
        key: null,
        last_four: null,
      },
    ])
    expect(stdout).not.toContain(service.key)
    expect((await crm(['auth', 'status'], home)).stderr).toBe(
      `${new URL(service.url).host} does not state this about the key: account.\nOther profiles: there; crm auth status --all lists them.\n`,
    )
    expect((await crm(['auth', 'status', '--all', '-p', 'here'], home)).exit).toBe(2)
  })

  test('auth logout forgets the key and keeps the settings; --remove-profile takes both', async ({ service }) => {
    const home = emptyHome()
    await logIn(service, home, '-p', 'here')
    expect((await crm(['auth', 'logout'], home)).exit).toBe(0)
    expect((await crm(['contacts', 'list'], home)).exit).toBe(4)
    expect(await crmPrints(['config', 'get', 'base_url'], home)).toBe(`${service.url}\n`)
    expect((await crm(['auth', 'logout', '--remove-profile'], home)).exit).toBe(0)
    expect((await crm(['config', 'get', 'base_url', '-p', 'here'], home)).exit).toBe(2)
  })

  test('config set changes what config get and list show, and refuses a bad value', async ({ service }) => {
    const home = emptyHome()
    await logIn(service, home)
    await crmPrints(['config', 'set', 'page_size', '7'], home)
    expect(await crmPrints(['config', 'get', 'wire.page_size'], home)).toBe('7\n')
    expect(await crmPrints(['config', 'get', 'wire.page_size', '-o', 'json'], home)).toBe('7\n')
    const listed = JSON.parse(await crmPrints(['config', 'list', '-o', 'json'], home))
    expect(listed).toContainEqual(expect.objectContaining({ value: 7, is_default: false }))
    expect(await crmPrints(['config', 'path'], home)).toBe(`${join(home.HOME, '.config/crm/config.json')}\n`)
    const refusal = { exit: 2, code: 'invalid_input', what: /"0"/, next: /crm config list/ }
    await expectRefusal({ args: ['config', 'set', 'wire.page_size', '0'], env: home }, refusal)
  })

  test('CRM_CONFIG_HOME moves the files', async ({ service }) => {
    const home = emptyHome({ CRM_CONFIG_HOME: join(tempFolder(), 'mine') })
    await logIn(service, home)
    expect(readdirSync(home.HOME)).toEqual([])
    expect((await crm(['contacts', 'list'], home)).exit).toBe(0)
  })
})

describe('a protected profile', () => {
  test('wants --yes --expect even for one, however its server is named', async ({ service }) => {
    const home = emptyHome()
    await logIn(service, home, '-p', 'prod', '--protected')
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const args = ['contacts', 'delete', id, '--yes']
    const refusal = { exit: 11, code: 'unconfirmed', what: /./, next: /--yes --expect 1|--expect 1 .*--yes/ }
    await expectRefusal({ args, env: home }, { ...refusal, what: /profile prod/ })
    const named = { ...home, CRM_API_KEY: service.key, CRM_BASE_URL: service.url.replace('127.0.0.1', 'localhost') }
    await expectRefusal({ args, env: named }, refusal)
    expect((await crm([...args, '--expect', '1'], home)).exit).toBe(0)
  })
})

describe('with CRM_API_KEY and CRM_BASE_URL', () => {
  const commands = (id: string, deal: string): string[][] => [
    ['contacts', 'list'],
    ['contacts', 'get', id],
    ['contacts', 'create', '--set', 'name=x'],
    ['contacts', 'update', id, '--set', 'name=y'],
    ['deals', 'list'],
    ['deals', 'get', deal],
    ['deals', 'create', '--set', 'name=x', '--set', 'stage=Lead'],
    ['notes', 'add', deal, '--body', 'x'],
    ['pipelines', 'stages', 'sales'],
    ['webhooks', 'create', '--url', 'http://127.0.0.1:1', '--events', '*'],
    ['auth', 'status'],
    ['doctor'],
    ['auth', 'token'],
    ['config', 'path'],
    ['--help'],
    ['--version'],
    ['contacts', 'delete', id, '--yes'],
  ]

  test('every command works in an empty HOME and writes no file there', async ({ service }) => {
    const env = { ...service.env, HOME: tempFolder() }
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'a' }])
    const [deal = ''] = await make(service, '/v1/deals', [{ name: 'a', stage: 'Lead' }])
    for (const args of commands(id, deal)) {
      const { exit, stderr } = await crm(args, env)
      expect({ args, exit, stderr }).toMatchObject({ exit: 0 })
      expect(readdirSync(env.HOME, { recursive: true }), args.join(' ')).toEqual([])
    }
  })

  test('every command works without a HOME', async ({ service }) => {
    const { HOME, ...env } = service.env
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'a' }])
    const [deal = ''] = await make(service, '/v1/deals', [{ name: 'a', stage: 'Lead' }])
    for (const args of commands(id, deal)) {
      const { exit, stderr } = await crm(args, env)
      expect({ args, exit, stderr }).toMatchObject({ exit: 0 })
    }
  })
})
