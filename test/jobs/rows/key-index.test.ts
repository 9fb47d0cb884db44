import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFindings } from '../../../src/jobs/input/findings-text.ts'
import { createDuplicateCheck, createKeyIndex, type KeyIndex } from '../../../src/jobs/input/key-index.ts'
import { tempFolder } from '../../files/temp-folder.ts'
import { read } from '../reading.ts'

async function openIndex(cacheKib?: number): Promise<KeyIndex & { readonly path: string }> {
  const path = join(await tempFolder(), 'keys.db')
  const index = await createKeyIndex(path, cacheKib)
  onTestFinished(() => index.close())
  return { ...index, path }
}

test('a key keeps its first value or its last, depending on the method', async () => {
  const index = await openIndex()
  expect(index.get('a')).toBeUndefined()
  expect([index.getOrSet('a', 1), index.getOrSet('a', 2), index.get('a')]).toEqual([undefined, 1, 1])
  index.set('a', 5_000_000_000)
  index.set('', 0)
  expect([index.get('a'), index.get(''), index.get('A')]).toEqual([5_000_000_000, 0, undefined])
})

test('it counts the earlier equal keys', async () => {
  const index = await openIndex()
  expect(['x', 'y', 'x', 'x'].map(index.count)).toEqual([0, 0, 1, 2])
})

test('keys that do not fit in the cache are found on disk, in a file that no one else can read', async () => {
  const index = await openIndex(64)
  const count = 20_000
  for (let key = 0; key < count; key++) index.set(`key ${key}`, key)
  for (let key = 0; key < count; key += 97) expect(index.get(`key ${key}`)).toBe(key)
  expect((await stat(index.path)).size).toBeGreaterThan(200_000)
  expect((await stat(index.path)).mode & 0o777).toBe(0o600)
})

test('an existing file is refused', async () => {
  const { path } = await openIndex()
  await expect(createKeyIndex(path)).rejects.toThrow('EEXIST')
})

test('rows with the key of an earlier one are dropped, and the finding names both lines', async () => {
  const { rows } = await read({ bytes: 'name,email\nA,x@a\nB,\nC,X@A\nD,x@a\n' })
  const findings = createFindings()
  const keyOf = ({ fields }: { fields: { email?: unknown } }) => (fields.email as string | undefined)?.toLowerCase()
  const withoutTwins = createDuplicateCheck({ index: await openIndex(), findings, column: 'email', keyOf })
  expect(withoutTwins(rows).map(({ fields }) => fields.name)).toEqual(['A', 'B'])
  expect(findings.groups()).toMatchObject([
    { code: 'duplicate_key', count: 2, samples: [{ line: 4, message: 'line 2 has the same email' }, { line: 5 }] },
  ])
})
