import { existsSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type KeyIndex, openKeyIndex } from '../../../src/jobs/plan/scratch.ts'
import { tempFolder } from '../../files/temp-folder.ts'

async function openIndex(cacheKib?: number): Promise<KeyIndex & { readonly path: string }> {
  const folder = await tempFolder()
  const index = openKeyIndex(folder, 'keys', cacheKib)
  onTestFinished(() => index.close())
  return { ...index, path: join(folder, 'keys.db') }
}

test('a key keeps its first value', async () => {
  const { getOrSet } = await openIndex()
  expect([getOrSet('a', 5_000_000_000), getOrSet('a', 2), getOrSet('a', 3)]).toEqual([undefined, 5e9, 5e9])
  expect([getOrSet('', 0), getOrSet('', 1), getOrSet('A', 1)]).toEqual([undefined, 0, undefined])
})

test('it counts the earlier equal keys', async () => {
  const index = await openIndex()
  expect(['x', 'y', 'x', 'x'].map(index.count)).toEqual([0, 0, 1, 2])
})

test('keys that do not fit in the cache are found on disk, in a file that no one else can read', async () => {
  const index = await openIndex(64)
  const count = 20_000
  for (let key = 0; key < count; key++) index.getOrSet(`key ${key}`, key)
  for (let key = 0; key < count; key += 97) expect(index.getOrSet(`key ${key}`, -1)).toBe(key)
  expect((await stat(index.path)).size).toBeGreaterThan(200_000)
  expect((await stat(index.path)).mode & 0o777).toBe(0o600)
})

test('what a killed process left is replaced, and closing removes the file', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'keys.db')
  await writeFile(path, 'not a database')
  const index = openKeyIndex(folder, 'keys')
  expect(index.count('a')).toBe(0)
  index.close()
  expect(existsSync(path)).toBe(false)
})
