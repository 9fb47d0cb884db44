import { describe, expect, test } from 'vitest'
import { resolveTarget, type Target, type Warn } from '../../src/settings/target.ts'
import { type SettingsFixture, settingsFixture } from './settings-fixture.ts'

const origin = 'http://127.0.0.1:4243'
const prod = 'https://crm.example.com'
const config = {
  active: 'local',
  profiles: {
    local: { base_url: origin, connector: 'crm', wire: { page_size: 7 } },
    prod: { base_url: prod, protected: true },
    lan: { base_url: 'http://10.0.0.5', insecure_http: true },
  },
}
const keys = { local: { origin, key: 'local-key' }, prod: { origin: prod, key: 'prod-key' } }

interface Given {
  readonly env?: Record<string, string>
  readonly profileFlag?: string
  readonly keyFromFlag?: string
  /** What a `.crm.toml` names. */
  readonly repository?: string
}

async function resolve(
  { settings }: SettingsFixture,
  given: Given = {},
  warn: Warn = (line) => expect.fail(line),
): Promise<Target> {
  const keyFromFlag = given.keyFromFlag === undefined ? undefined : { value: given.keyFromFlag, source: '--key-file' }
  const repository = given.repository === undefined ? undefined : { path: '/repo/.crm.toml', profile: given.repository }
  const request = { env: given.env ?? {}, profileFlag: given.profileFlag, keyFromFlag, repository }
  return await resolveTarget(settings, request, warn)
}

test('the active profile gives address, key and settings', async () => {
  expect(await resolve(await settingsFixture(config, keys))).toEqual({
    baseUrl: new URL(origin),
    key: { value: 'local-key', source: 'file' },
    loginHint: `crm auth login --base-url ${origin} -p local`,
    profileName: 'local',
    isProtected: false,
    pageSize: 7,
    connector: { name: 'crm', variables: {} },
  })
})

test('-p wins over CRM_PROFILE, which wins over the active profile; an empty variable is unset', async () => {
  const fixture = await settingsFixture(config, keys)
  expect((await resolve(fixture, { env: { CRM_PROFILE: 'prod' } })).profileName).toBe('prod')
  expect((await resolve(fixture, { profileFlag: 'local', env: { CRM_PROFILE: 'prod' } })).profileName).toBe('local')
  const empty = { CRM_PROFILE: '', CRM_API_KEY: '', CRM_BASE_URL: '' }
  expect((await resolve(fixture, { profileFlag: 'prod', env: empty })).key.value).toBe('prod-key')
  expect((await resolve(fixture, { env: empty })).profileName).toBe('local')
})

test('a key from a flag wins over CRM_API_KEY, which wins over the file', async () => {
  const fixture = await settingsFixture(config, keys)
  expect((await resolve(fixture, { keyFromFlag: 'f', env: { CRM_API_KEY: 'e' } })).key).toEqual({
    value: 'f',
    source: '--key-file',
  })
  expect((await resolve(fixture, { env: { CRM_API_KEY: 'e' } })).key).toEqual({
    value: 'e',
    source: 'CRM_API_KEY',
  })
})

test.each([['{"active"'], [{ profiles: { local: { protected: 'yes' } } }]])(
  'with both variables settings such as %j are a warning, and the server counts as protected',
  async (damaged) => {
    const fixture = await settingsFixture(damaged, keys)
    const env = { CRM_API_KEY: 'e', CRM_BASE_URL: prod }
    const warned: string[] = []
    const target = await resolve(fixture, { env }, (line) => void warned.push(line))
    expect(target).toMatchObject({ key: { value: 'e' }, profileName: undefined, isProtected: true })
    expect(warned.join()).toMatch(/^Warning: cannot read .*config\.json/)
    for (const given of [{ env: { ...env, CRM_PROFILE: 'local' } }, { env: { CRM_API_KEY: 'e' } }]) {
      await expect(resolve(fixture, given)).rejects.toThrow(/cannot read .*config\.json/)
    }
  },
)

test('a damaged key file does not matter when the key is given elsewhere', async () => {
  const fixture = await settingsFixture(config, '{')
  expect((await resolve(fixture, { env: { CRM_API_KEY: 'e' } })).key.value).toBe('e')
  await expect(resolve(fixture)).rejects.toThrow(/cannot read .*keys\.json/)
})

test('with both variables no folder is needed', async () => {
  const target = await resolve(await settingsFixture(), { env: { CRM_API_KEY: 'e', CRM_BASE_URL: `${prod}/crm/` } })
  expect(target).toMatchObject({
    profileName: undefined,
    isProtected: false,
    pageSize: undefined,
    connector: { name: 'crm', variables: {} },
  })
  expect(target.baseUrl.href).toBe(`${prod}/crm`)
})

test.each([
  [{ CRM_API_KEY: 'e' }, '-p prod contradicts CRM_API_KEY, which is set'],
  [{ CRM_BASE_URL: prod }, '-p prod contradicts CRM_BASE_URL, which is set'],
  [{ CRM_API_KEY: 'e', CRM_BASE_URL: prod }, '-p prod contradicts CRM_API_KEY and CRM_BASE_URL, which are set'],
])('-p with %j is rejected', async (env, message) => {
  const fixture = await settingsFixture(config, keys)
  await expect(resolve(fixture, { profileFlag: 'prod', env })).rejects.toMatchObject({ code: 'usage', message })
})

test('CRM_PROFILE supplies what the other variables do not set', async () => {
  const fixture = await settingsFixture(config, keys)
  const target = await resolve(fixture, { env: { CRM_PROFILE: 'prod', CRM_API_KEY: 'e' } })
  expect(target).toMatchObject({ profileName: 'prod', isProtected: true, key: { value: 'e' } })
  expect(target.baseUrl.origin).toBe(prod)
})

test('a stored key is not sent to the address of CRM_BASE_URL', async () => {
  const fixture = await settingsFixture(config, keys)
  await expect(resolve(fixture, { env: { CRM_BASE_URL: prod } })).rejects.toMatchObject({
    code: 'no_key',
    message: `the key of the profile local belongs to ${origin} and is not sent to ${prod}`,
    details: { hint: `set CRM_API_KEY beside CRM_BASE_URL, or: crm auth login --base-url ${prod} -p NAME` },
  })
})

test('a stored key is not sent to a later address of the profile', async () => {
  const fixture = await settingsFixture({ ...config, profiles: { local: { base_url: 'https://evil.example' } } }, keys)
  await expect(resolve(fixture)).rejects.toMatchObject({
    code: 'no_key',
    message: `the key of the profile local belongs to ${origin} and is not sent to https://evil.example`,
    details: { hint: 'crm auth login --base-url https://evil.example -p local' },
  })
})

test('another scheme or port is another origin, another path is not', async () => {
  const at = async (base_url: string): Promise<Target> =>
    await resolve(await settingsFixture({ active: 'local', profiles: { local: { base_url } } }, keys))
  await expect(at('https://127.0.0.1:4243')).rejects.toMatchObject({ code: 'no_key' })
  await expect(at('http://127.0.0.1:4244')).rejects.toMatchObject({ code: 'no_key' })
  expect((await at(`${origin}/crm`)).key.value).toBe('local-key')
})

test('settings of a profile do not apply to another server', async () => {
  const fixture = await settingsFixture(config, keys)
  const env = { CRM_API_KEY: 'e', CRM_BASE_URL: 'http://10.0.0.6', CRM_PROFILE: 'lan' }
  await expect(resolve(fixture, { env })).rejects.toMatchObject({ code: 'usage' })
  const other = await resolve(fixture, { env: { CRM_API_KEY: 'e', CRM_BASE_URL: 'http://localhost:1' } })
  expect(other).toMatchObject({
    profileName: undefined,
    pageSize: undefined,
    connector: { name: 'crm', variables: {} },
  })
})

test('plain http beyond this machine needs insecure_http in its profile', async () => {
  const fixture = await settingsFixture(config, keys)
  expect((await resolve(fixture, { profileFlag: 'lan', keyFromFlag: 'k' })).baseUrl.host).toBe('10.0.0.5')
  await fixture.settings.setSetting('lan', 'insecure_http', 'false')
  await expect(resolve(fixture, { profileFlag: 'lan', keyFromFlag: 'k' })).rejects.toMatchObject({
    code: 'usage',
    message: 'plain http to 10.0.0.5 would send the key unencrypted',
    details: { hint: expect.stringContaining('crm config set insecure_http true -p lan') },
  })
  for (const CRM_BASE_URL of ['http://[::1]:1', 'http://localhost', 'http://127.9.9.9']) {
    await resolve(fixture, { env: { CRM_BASE_URL, CRM_API_KEY: 'k' } })
  }
})

test.each([
  [prod, true],
  [`${prod}/prefix`, true],
  ['https://CRM.example.com:443', true],
  ['https://crm.example.com.', true],
  ['https://crm.example.com:8443', false],
])('a protected profile protects its server when CRM_BASE_URL is %s: %s', async (CRM_BASE_URL, isProtected) => {
  const fixture = await settingsFixture(config, keys)
  expect(await resolve(fixture, { env: { CRM_BASE_URL, CRM_API_KEY: 'k' } })).toMatchObject({ isProtected })
})

test('a protected profile of this machine protects every loopback name', async () => {
  const fixture = await settingsFixture({ profiles: { local: { base_url: origin, protected: true } } })
  const env = { CRM_BASE_URL: 'http://localhost:4243', CRM_API_KEY: 'k' }
  expect((await resolve(fixture, { env })).isProtected).toBe(true)
})

test('an unknown profile is answered with the known ones', async () => {
  const message = 'there is no profile "nope": expected one of lan, local, prod'
  const fixture = await settingsFixture(config, keys)
  await expect(resolve(fixture, { profileFlag: 'nope' })).rejects.toMatchObject({ code: 'usage', message })
  await expect(resolve(fixture, { env: { CRM_PROFILE: 'nope' } })).rejects.toMatchObject({ code: 'usage', message })
})

test('without an address the hint shows how to set one', async () => {
  const refusal = { code: 'usage', message: 'no server is named: no profile is active and CRM_BASE_URL is not set' }
  await expect(resolve(await settingsFixture())).rejects.toMatchObject(refusal)
  await expect(resolve(await settingsFixture({ active: 'gone', profiles: {} }))).rejects.toMatchObject(refusal)
  await expect(resolve(await settingsFixture({ active: 'x', profiles: { x: {} } }))).rejects.toMatchObject({
    code: 'usage',
    message: 'the profile x has no base_url',
  })
})

test('without a key the error names the address and the login', async () => {
  await expect(resolve(await settingsFixture(config, {}))).rejects.toMatchObject({
    code: 'no_key',
    message: `there is no key for ${origin} (profile local)`,
    details: { hint: `crm auth login --base-url ${origin} -p local` },
  })
  await expect(resolve(await settingsFixture(), { env: { CRM_BASE_URL: prod } })).rejects.toMatchObject({
    code: 'no_key',
    message: `there is no key for ${prod}`,
  })
})

test.each(['a\nb', 'schlüssel', 'k y', 'tab\t', '\u0000'])('the key %j is rejected and not repeated', async (key) => {
  const fixture = await settingsFixture(config, keys)
  const error: unknown = await resolve(fixture, { env: { CRM_API_KEY: key } }).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('CRM_API_KEY') })
  expect((error as Error).message).not.toContain(key)
})

test('a keyring that cannot be used is reported, and the file is read', async () => {
  const both = { local: { origin, keyring: 'local x', key: 'file-key' } }
  const notes: string[] = []
  const { key } = await resolve(await settingsFixture(config, both), {}, (line) => notes.push(line))
  expect(key).toEqual({ value: 'file-key', source: 'file' })
  expect(notes).toEqual([expect.stringContaining('the system keyring cannot be used')])
})

test('key_command precedes a stored key, for the origin of its profile alone', async () => {
  const profiles = { local: { base_url: origin, key_command: 'echo from-command' } }
  const fixture = await settingsFixture({ active: 'local', profiles }, keys)
  expect((await resolve(fixture)).key).toEqual({ value: 'from-command', source: 'key_command' })
  await expect(resolve(fixture, { env: { CRM_BASE_URL: prod } })).rejects.toMatchObject({
    code: 'no_key',
    message: expect.stringContaining('is not sent to https://crm.example.com'),
  })
  expect((await resolve(fixture, { env: { CRM_API_KEY: 'given' } })).key.source).toBe('CRM_API_KEY')
})

describe('a repository that names a profile', () => {
  const staging = { base_url: 'https://staging.example.com' }
  const all = { ...config, profiles: { ...config.profiles, staging, twin: { base_url: prod } } }
  const allKeys = { ...keys, staging: { origin: staging.base_url, key: 'staging-key' } }

  test('selects it before the active one, and reports it', async () => {
    const notes: string[] = []
    const fixture = await settingsFixture(all, allKeys)
    const { key } = await resolve(fixture, { repository: 'staging' }, (line) => notes.push(line))
    expect(key.value).toBe('staging-key')
    expect(notes).toEqual(['Profile staging (https://staging.example.com), selected by /repo/.crm.toml.'])
  })

  test('is overridden by -p and CRM_PROFILE', async () => {
    const fixture = await settingsFixture(all, allKeys)
    expect((await resolve(fixture, { repository: 'staging', profileFlag: 'prod' })).profileName).toBe('prod')
    expect((await resolve(fixture, { repository: 'staging', env: { CRM_PROFILE: 'local' } })).profileName).toBe('local')
  })

  test('does not select the server for a key that is bound to no origin', async () => {
    const fixture = await settingsFixture(all, allKeys)
    const given = await resolve(fixture, { repository: 'staging', env: { CRM_API_KEY: 'k' } })
    expect(given.baseUrl.origin).toBe(origin)
    expect((await resolve(fixture, { repository: 'staging', keyFromFlag: 'k' })).baseUrl.origin).toBe(origin)
  })

  test('cannot select a protected server, under any name', async () => {
    const fixture = await settingsFixture(all, allKeys)
    for (const repository of ['prod', 'twin']) {
      const hint = expect.stringContaining(`-p ${repository}`)
      await expect(resolve(fixture, { repository })).rejects.toMatchObject({ code: 'usage', details: { hint } })
    }
  })

  test('that does not exist is an error', async () => {
    const fixture = await settingsFixture(all, allKeys)
    const message = '/repo/.crm.toml names the profile acme, which does not exist here'
    await expect(resolve(fixture, { repository: 'acme' })).rejects.toMatchObject({ code: 'usage', message })
    await expect(resolve(fixture, { repository: '../x' })).rejects.toMatchObject({ code: 'usage' })
  })
})
