import { lstat, mkdir, open, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { writePrivateFile } from '../../src/files/replace-file.ts'
import { tempFolder } from './temp-folder.ts'

test('the file is created with mode 0600, and no other file is left beside it', async () => {
  const folder = await tempFolder()
  await writePrivateFile(join(folder, 'a'), 'one')
  await writePrivateFile(join(folder, 'a'), 'two')
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('two')
  expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['a'])
})

test('a file that others could read has mode 0600 after a write', async () => {
  const path = join(await tempFolder(), 'a')
  await writeFile(path, 'old', { mode: 0o666 })
  await writePrivateFile(path, 'new')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('readers see a complete text during concurrent writes', async () => {
  const path = join(await tempFolder(), 'a')
  const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(100_000))
  await writePrivateFile(path, texts[0] ?? '')
  const writes = texts.flatMap((text) => [writePrivateFile(path, text), writePrivateFile(path, text)])
  const reads = Array.from({ length: 30 }, () => readFile(path, 'utf8'))
  for (const read of await Promise.all(reads)) expect(texts).toContain(read)
  await Promise.all(writes)
})

test('a link is rejected, and its target is unchanged', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'victim'), 'precious')
  await symlink(join(folder, 'victim'), join(folder, 'a'))
  await expect(writePrivateFile(join(folder, 'a'), 'x')).rejects.toMatchObject({ code: 'machine' })
  expect(await readFile(join(folder, 'victim'), 'utf8')).toBe('precious')
  expect((await lstat(join(folder, 'a'))).isSymbolicLink()).toBe(true)
})

test('a folder in place of the file is rejected, and no temporary file is left', async () => {
  const folder = await tempFolder()
  await mkdir(join(folder, 'a'))
  await expect(writePrivateFile(join(folder, 'a'), 'x')).rejects.toMatchObject({ code: 'machine' })
  expect(await readdir(folder)).toEqual(['a'])
})

test('the text is synced before the file replaces the old one, and the folder after it', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'a')
  await writePrivateFile(path, 'old')
  const handle = await open(path)
  const handles: { sync(): Promise<void> } = Object.getPrototypeOf(handle)
  await handle.close()
  const texts: string[] = []
  const sync = vi.spyOn(handles, 'sync').mockImplementation(async () => void texts.push(await readFile(path, 'utf8')))
  onTestFinished(() => sync.mockRestore())
  await writePrivateFile(path, 'new')
  expect(texts).toEqual(['old', 'new'])
})
