import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isFirstToday } from '../../src/settings/notice-days.ts'
import { tempFolder } from '../files/temp-folder.ts'

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
