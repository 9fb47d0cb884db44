import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultProfile } from '../../src/settings/profile.ts'
import { settingsFixture } from './settings-fixture.ts'

const base_url = 'https://a.example'

test.each([
  ['', 'it is not JSON'],
  ['{"profiles":\n{a:1}}', 'it is not JSON, line 2'],
  ['{"profiles":\n{"a":}}', 'it is not JSON'],
  ['[]', 'it is not a JSON object'],
  ['{"profiles":[]}', 'profiles is not an object'],
  ['{"profiles":{"a":1}}', 'a is not an object'],
  ['{"profiles":{"a":{"base_url":"ftp://x"}}}', 'a.base_url is not an http(s) address: "ftp://x"'],
  [{ profiles: { a: { base_url, protected: 'yes' } } }, 'a.protected is "yes", expected a boolean'],
  [{ profiles: { a: { base_url, wire: { page_size: 0 } } } }, /a\.wire\.page_size is "0", expected a whole number/],
  [
    { profiles: { a: { base_url, wire: { page_size: 1.5 } } } },
    /a\.wire\.page_size is "1\.5", expected a whole number/,
  ],
])('%j is rejected with the reason and left unchanged', async (config, what) => {
  const { settings, folder } = await settingsFixture(config)
  const path = join(folder, 'config.json')
  const before = await readFile(path, 'utf8')
  await expect(settings.profiles()).rejects.toMatchObject({
    code: 'invalid_input',
    message: typeof what === 'string' ? `cannot read ${path}: ${what}` : expect.stringMatching(what),
    details: { hint: `correct it by hand, or start with a new file: mv ${path} ${path}.damaged` },
  })
  if (!/base_url|protected|wire/.test(before)) {
    await expect(settings.putProfile('a', defaultProfile(base_url))).rejects.toMatchObject({ code: 'invalid_input' })
  }
  expect(await readFile(path, 'utf8')).toBe(before)
})

test('an active profile that is not a name is rejected', async () => {
  const { settings } = await settingsFixture({ active: 1, profiles: {} })
  await expect(settings.active()).rejects.toMatchObject({ code: 'invalid_input' })
})

test('a byte order mark is ignored', async () => {
  const { settings } = await settingsFixture(`\uFEFF${JSON.stringify({ profiles: { a: { base_url } } })}`)
  expect((await settings.profile('a')).baseUrl).toBe(base_url)
})

test.each(['{"local": {"origin": "https://a", "key": "top-secret-1234"}', '{"local":{"key":"top-secret-1234"}}'])(
  'a damaged key file is reported without the keys in it',
  async (text) => {
    const { settings } = await settingsFixture(undefined, text)
    const error: unknown = await settings.storedKey('local').catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'invalid_input' })
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('secret')
  },
)
