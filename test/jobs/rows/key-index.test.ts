import { existsSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Scratch } from '../../../src/jobs/plan/scratch.ts'
import { tempFolder } from '../../files/temp-folder.ts'

async function open(cacheKib?: number) {
  const folder = await tempFolder()
  const scratch = new Scratch(folder, 'keys', cacheKib)
  onTestFinished(() => scratch.close())
  return { scratch, path: join(folder, 'keys.db') }
}

test('a key keeps its first value until it is set', async () => {
  const { getOrSet, set } = (await open()).scratch.keys('one')
  expect([getOrSet('a', 5_000_000_000), getOrSet('a', 2), getOrSet('a', 3)]).toEqual([undefined, 5e9, 5e9])
  expect([getOrSet('', 0), getOrSet('', 1), getOrSet('A', 1)]).toEqual([undefined, 0, undefined])
  set('a', 7)
  set('b', 8)
  expect([getOrSet('a', 0), getOrSet('b', 0)]).toEqual([7, 8])
})

test('it counts the earlier equal keys, apart from those of another table', async () => {
  const { scratch } = await open()
  const [one, other] = [scratch.keys('one'), scratch.keys('other')]
  expect(['x', 'y', 'x', 'x'].map(one.count)).toEqual([0, 0, 1, 2])
  expect(other.count('x')).toBe(0)
})

test('keys that do not fit in the cache are found on disk, in a file that no one else can read', async () => {
  const { scratch, path } = await open(64)
  const index = scratch.keys('many')
  const count = 20_000
  for (let key = 0; key < count; key++) index.getOrSet(`key ${key}`, key)
  for (let key = 0; key < count; key += 97) expect(index.getOrSet(`key ${key}`, -1)).toBe(key)
  expect((await stat(path)).size).toBeGreaterThan(200_000)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('what a killed process left is replaced, and closing removes the file', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'keys.db')
  await writeFile(path, 'not a database')
  const scratch = new Scratch(folder, 'keys')
  expect(scratch.keys('one').count('a')).toBe(0)
  scratch.close()
  expect(existsSync(path)).toBe(false)
})
