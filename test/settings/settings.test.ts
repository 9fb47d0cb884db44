import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBrowseDocument } from '../../src/settings/browse-document.ts'
import { defaultProfile } from '../../src/settings/profile.ts'
import { openSettings } from '../../src/settings/settings.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { emptyHome } from '../harness/home.ts'
import { settingsFixture } from './settings-fixture.ts'

const local = { base_url: 'http://127.0.0.1:4243' }

test('a missing folder reads as empty and is not created', async () => {
  const home = await tempFolder()
  const settings = openSettings({ HOME: home })
  expect(await settings.profiles()).toEqual(new Map())
  expect(await settings.active()).toBeUndefined()
  expect(await settings.storedKey('local')).toBeUndefined()
  expect(await settings.forgetKey('local')).toBe(false)
  await expect(settings.setActive('local')).rejects.toMatchObject({ code: 'usage' })
  await expect(settings.setSetting('local', 'protected', 'true')).rejects.toMatchObject({ code: 'usage' })
  await expect(settings.removeProfile('local')).rejects.toMatchObject({ code: 'usage' })
  expect(await readdir(home)).toEqual([])
})

test('written files are private and contain only values that differ from the defaults', async () => {
  const home = await tempFolder()
  const settings = openSettings({ HOME: home })
  await settings.putProfile('local', { ...defaultProfile('http://127.0.0.1:4243/'), isProtected: true })
  await settings.setActive('local')
  await settings.storeKey('local', { origin: 'http://127.0.0.1:4243', key: 'k' })
  const { folder, config, keys } = settings.paths()
  expect(folder).toBe(join(home, '.config', 'crm'))
  expect(JSON.parse(await readFile(config, 'utf8'))).toEqual({
    profiles: { local: { base_url: 'http://127.0.0.1:4243', protected: true } },
    active: 'local',
  })
  expect(JSON.parse(await readFile(keys, 'utf8'))).toEqual({ local: { origin: 'http://127.0.0.1:4243', key: 'k' } })
  const modes = await Promise.all([folder, config, keys].map(async (path) => (await stat(path)).mode & 0o777))
  expect(modes).toEqual([0o700, 0o600, 0o600])
  expect((await readdir(folder)).toSorted()).toEqual(['config.json', 'keys.json'])
})

test('a profile is read back as written, whatever its settings', async () => {
  const { settings, folder } = await settingsFixture()
  const profile = {
    baseUrl: 'https://crm.example.com/prefix',
    isProtected: true,
    allowsInsecureHttp: true,
    keyCommand: 'pass show crm',
    serveDatabase: '/srv/crm.db',
    connector: 'pipedrive',
    connectorVariables: { company: 'acme' },
    pageSize: 7,
  }
  await settings.putProfile('a.b-c_1', profile)
  expect(await settings.profile('a.b-c_1')).toEqual(profile)
  expect(await openSettings({ CRM_CONFIG_HOME: folder }).profiles()).toEqual(new Map([['a.b-c_1', profile]]))
})

test('unknown members of the file are kept', async () => {
  const { settings, readJson } = await settingsFixture({
    later: 1,
    profiles: { local: { ...local, wire: { dialect: 'x', page_size: 7 }, later: [2] }, other: { ...local, later: 3 } },
  })
  await settings.setSetting('local', 'page_size', '50')
  await settings.putProfile('local', { ...(await settings.profile('local')), isProtected: true })
  await settings.setActive('other')
  expect(await readJson('config')).toEqual({
    later: 1,
    active: 'other',
    profiles: {
      local: { ...local, protected: true, wire: { dialect: 'x' }, later: [2], page_size: 50 },
      other: { ...local, later: 3 },
    },
  })
})

test('reads are cached until this object writes; then it sees the writes of others', async () => {
  const { settings, writeConfig } = await settingsFixture({ profiles: { one: local } })
  expect([...(await settings.profiles()).keys()]).toEqual(['one'])
  await writeConfig({ profiles: { one: local, two: local } })
  expect([...(await settings.profiles()).keys()]).toEqual(['one'])
  await settings.setSetting('one', 'protected', 'true')
  expect([...(await settings.profiles()).keys()]).toEqual(['one', 'two'])
})

test('values are listed with their meaning and whether they are set', async () => {
  const { settings } = await settingsFixture({ profiles: { local: { ...local, wire: { page_size: 5 } } } })
  const values = await settings.values('local')
  expect(values.map(({ key, value, isDefault }) => [key, value, isDefault])).toEqual([
    ['base_url', 'http://127.0.0.1:4243', false],
    ['protected', false, true],
    ['insecure_http', false, true],
    ['key_command', null, true],
    ['serve_database', null, true],
    ['connector', null, true],
    ['connector_vars', null, true],
    ['page_size', 5, false],
  ])
  for (const { meaning } of values) expect(meaning).not.toBe('')
})

test('setting the address creates a profile, setting anything else does not', async () => {
  const { settings, readJson } = await settingsFixture({ profiles: { local } })
  await expect(settings.setSetting('staging', 'protected', 'true')).rejects.toMatchObject({
    code: 'usage',
    message: 'there is no profile "staging": expected one of local',
  })
  await settings.setSetting('staging', 'base_url', 'https://staging.example.com/')
  expect(await readJson('config')).toEqual({
    profiles: { local, staging: { base_url: 'https://staging.example.com', connector: 'crm' } },
  })
})

test('removing a profile removes its key, and it is no longer active', async () => {
  const { settings, readJson } = await settingsFixture(
    { active: 'local', profiles: { local, other: local } },
    { local: { origin: 'http://127.0.0.1:4243', key: 'k' }, other: { origin: 'http://127.0.0.1:4243', key: 'l' } },
  )
  await settings.removeProfile('local')
  expect(await readJson('config')).toEqual({ profiles: { other: local } })
  expect(Object.keys((await readJson('keys')) as object)).toEqual(['other'])
  expect(await settings.active()).toBeUndefined()
  expect(await settings.forgetKey('other')).toBe(true)
  expect(await readJson('keys')).toEqual({})
})

test.each(['constructor', 'toString', '__internal__', 'hasOwnProperty'])(
  'there is no profile named %s',
  async (name) => {
    const { settings } = await settingsFixture({ profiles: {} }, {})
    await expect(settings.profile(name)).rejects.toMatchObject({ code: 'usage' })
    expect(await settings.storedKey(name)).toBeUndefined()
  },
)

test('a profile may be named constructor', async () => {
  const { settings, folder } = await settingsFixture()
  await settings.putProfile('constructor', defaultProfile('https://a.example'))
  await settings.storeKey('constructor', { origin: 'https://a.example', key: 'k' })
  const fresh = openSettings({ CRM_CONFIG_HOME: folder })
  expect((await fresh.profile('constructor')).baseUrl).toBe('https://a.example')
  expect(await fresh.storedKey('constructor')).toEqual({ origin: 'https://a.example', key: 'k' })
})

test.each(['', '-p', 'a/b', '../x', '__proto__', 'a b', 'ä', 'x'.repeat(65)])(
  '%j is not a profile name',
  async (name) => {
    const { settings, folder } = await settingsFixture()
    await expect(settings.putProfile(name, defaultProfile('https://a.example'))).rejects.toMatchObject({
      code: 'usage',
    })
    await expect(settings.storeKey(name, { origin: 'https://a.example', key: 'k' })).rejects.toMatchObject({
      code: 'usage',
    })
    expect(await readdir(folder)).toEqual([])
  },
)

test('a key file that others can read is neither read nor written', async () => {
  const { settings, folder } = await settingsFixture({ profiles: { local } }, {})
  await chmod(join(folder, 'keys.json'), 0o644)
  const refusal = { code: 'machine', details: { hint: `chmod 600 ${join(folder, 'keys.json')}` } }
  await expect(settings.storedKey('local')).rejects.toMatchObject(refusal)
  await expect(settings.storeKey('local', { origin: 'x', key: 'k' })).rejects.toMatchObject(refusal)
})

test.each(['config', 'keys'])('a link in place of %s.json is neither read nor written', async (name) => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'victim.json'), '{}', { mode: 0o600 })
  await mkdir(join(folder, 'crm'), { mode: 0o700 })
  await symlink(join(folder, 'victim.json'), join(folder, 'crm', `${name}.json`))
  const settings = openSettings({ CRM_CONFIG_HOME: join(folder, 'crm') })
  const write =
    name === 'config'
      ? settings.putProfile('local', defaultProfile('https://a.example'))
      : settings.storeKey('local', { origin: 'https://a.example', key: 'k' })
  await expect(write).rejects.toMatchObject({ code: 'machine' })
  expect(await readFile(join(folder, 'victim.json'), 'utf8')).toBe('{}')
})

test('a temporary key file of a killed process is removed by the next write', async () => {
  const { settings, folder } = await settingsFixture(undefined, { local: { origin: 'https://a.example', key: 'k' } })
  await writeFile(join(folder, 'keys.json.tmp-1234567890abcdef'), '{"local":', { mode: 0o600 })
  await settings.forgetKey('local')
  expect(await readdir(folder)).toEqual(['keys.json'])
})

test('a link in place of the folder is not followed for writing', async () => {
  const folder = await tempFolder()
  await mkdir(join(folder, 'elsewhere'))
  await symlink(join(folder, 'elsewhere'), join(folder, 'crm'))
  const settings = openSettings({ CRM_CONFIG_HOME: join(folder, 'crm') })
  await expect(settings.putProfile('local', defaultProfile('https://a.example'))).rejects.toMatchObject({
    code: 'machine',
  })
  expect(await readdir(join(folder, 'elsewhere'))).toEqual([])
})

function settings(text: string) {
  const env = emptyHome()
  const folder = join(env.HOME, '.config', 'crm')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'browse.json')
  writeFileSync(path, text, { mode: 0o600 })
  return { document: openBrowseDocument(env), stored: () => JSON.parse(readFileSync(path, 'utf8')) }
}

test('the first screen is kept beside the theme, and removed when it is no longer chosen', async () => {
  const { document, stored } = settings('{"theme":"dark"}')
  expect(await document.first()).toBeUndefined()
  await document.setFirst('home')
  expect(await document.first()).toBe('home')
  expect(stored()).toMatchObject({ theme: 'dark', first: 'home' })
  await document.setFirst(undefined)
  expect(stored()).not.toHaveProperty('first')
  expect(stored()).toMatchObject({ theme: 'dark' })
})

test('a first screen that is no text is refused with the name of the file', async () => {
  const { document } = settings('{"first":3}')
  await expect(document.first()).rejects.toThrow(/browse\.json.*first is not a screen/s)
})
