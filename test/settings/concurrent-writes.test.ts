import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { defaultProfile } from '../../src/settings/profile.ts'
import { settingsFixture } from './settings-fixture.ts'

const script = fileURLToPath(new URL('set-one.ts', import.meta.url))

test('concurrent writes of several processes lose nothing', async () => {
  const { settings, folder, readJson } = await settingsFixture()
  const codes = ['a', 'b', 'c'].map(async (name) => {
    const [code] = await once(spawn(process.execPath, [script, folder, name], { stdio: 'inherit' }), 'exit')
    return code as number
  })
  expect(await Promise.all(codes)).toEqual([0, 0, 0])
  const names = ['a', 'b', 'c'].flatMap((name) => [1, 2, 3, 4, 5].map((turn) => `${name}${turn}`))
  expect([...(await settings.profiles()).keys()]).toEqual(names)
  expect(Object.keys((await readJson('keys')) as object).toSorted()).toEqual(names)
  expect((await readdir(folder)).toSorted()).toEqual(['config.json', 'keys.json'])
})

test('concurrent writes in one process lose nothing', async () => {
  const { settings } = await settingsFixture()
  const names = Array.from({ length: 10 }, (_, index) => `p${index}`)
  await Promise.all(names.map((name) => settings.putProfile(name, defaultProfile('https://a.example'))))
  expect([...(await settings.profiles()).keys()]).toEqual(names)
})
