import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isFirstToday } from '../../src/settings/notice-days.ts'
import { parseSettingKey, SETTINGS, type SettingKey } from '../../src/settings/setting.ts'
import { tempFolder } from '../files/temp-folder.ts'

test.each<[SettingKey, string, unknown]>([
  ['base_url', 'https://a.example/', 'https://a.example'],
  ['base_url', 'HTTPS://A.example:443/crm/', 'https://a.example/crm'],
  ['protected', 'true', true],
  ['insecure_http', 'false', false],
  ['key_command', "op read 'op://vault/crm key'", "op read 'op://vault/crm key'"],
  ['key_command', '/usr/bin/pass show crm', '/usr/bin/pass show crm'],
  ['key_command', '', null],
  ['page_size', '1', 1],
  ['page_size', '1000', 1000],
  ['page_size', '', null],
])('%s reads %j as %j', (key, text, value) => {
  expect(SETTINGS[key].parse(text, key)).toBe(value)
})

test.each<[SettingKey, string]>([
  ['base_url', 'a.example'],
  ['base_url', 'https://user:pw@a.example'],
  ['protected', 'yes'],
  ['protected', ''],
  // A relative path could name a program in a repository.
  ['key_command', './pass show crm'],
  ['key_command', 'bin/pass'],
  ['page_size', '0'],
  ['page_size', '1001'],
  ['page_size', '1e2'],
  ['page_size', ' 5'],
])('%s rejects %j and names both', (key, text) => {
  expect(() => SETTINGS[key].parse(text, key)).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  expect(() => SETTINGS[key].parse(text, key)).toThrow(key)
})

test('an unknown setting is answered with the known ones', () => {
  for (const text of ['page_size', 'wire.page_size']) expect(parseSettingKey(text)).toBe('page_size')
  for (const text of ['wire.paging', 'operations', 'toString', '']) {
    expect(() => parseSettingKey(text)).toThrow(/there is no setting ".*", expected base_url, protected, /)
  }
})

const NOON_MS = Date.parse('2026-01-01T12:00:00Z')
const DAY_MS = 24 * 3600 * 1000

test('a notice is due once per host and day, and earlier days are forgotten', async () => {
  const folder = await tempFolder()
  const isFirst = (host: string, nowMs: number) => isFirstToday({ CRM_CONFIG_HOME: folder }, host, nowMs)
  expect(await isFirst('a.example', NOON_MS)).toBe(true)
  expect(await isFirst('a.example', NOON_MS + 1000)).toBe(false)
  expect(await isFirst('b.example', NOON_MS)).toBe(true)
  expect(await isFirst('a.example', NOON_MS + DAY_MS)).toBe(true)
  expect(JSON.parse(await readFile(join(folder, 'notices.json'), 'utf8'))).toEqual({ 'a.example': '2026-01-02' })
  expect((await stat(join(folder, 'notices.json'))).mode & 0o777).toBe(0o600)
})

test('without a settings folder nothing is written, and every process is the first', async () => {
  const home = await tempFolder()
  for (const env of [{ HOME: home }, { CRM_CONFIG_HOME: join(home, 'none') }]) {
    expect(await isFirstToday(env, 'a.example', NOON_MS)).toBe(true)
    expect(await isFirstToday(env, 'a.example', NOON_MS)).toBe(true)
  }
  expect(await readdir(home)).toEqual([])
})

test('days that cannot be read or written do not fail the command', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'notices.json'), 'not JSON', { mode: 0o600 })
  expect(await isFirstToday({ CRM_CONFIG_HOME: folder }, 'a.example', NOON_MS)).toBe(true)
  const other = await tempFolder()
  await mkdir(join(other, 'notices.json'))
  expect(await isFirstToday({ CRM_CONFIG_HOME: other }, 'a.example', NOON_MS)).toBe(true)
})
