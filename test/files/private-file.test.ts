import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, lstat, mkdir, open, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readOwnFile, readPrivateFile } from '../../src/files/private-file.ts'
import { writePrivateFile } from '../../src/files/replace-file.ts'
import { tempFolder } from './temp-folder.ts'

async function fileOf(mode: number): Promise<string> {
  const path = join(await tempFolder(), 'keys.json')
  await writeFile(path, 'text')
  await chmod(path, mode)
  return path
}

test('a file with mode 0600 is read, a missing one is undefined', async () => {
  const path = await fileOf(0o600)
  expect(await readPrivateFile(path)).toBe('text')
  expect(await readPrivateFile(`${path}.gone`)).toBeUndefined()
})

test('a path below a home that is a file is undefined', async () => {
  expect(await readPrivateFile('/dev/null/.config/crm/keys.json')).toBeUndefined()
})

test.each([0o640, 0o604, 0o660, 0o666])('a secret of mode %o is rejected, with the chmod to type', async (mode) => {
  const path = await fileOf(mode)
  await expect(readPrivateFile(path)).rejects.toMatchObject({
    code: 'machine',
    message: expect.stringMatching(`${path} has mode ${mode.toString(8)}: others can (read|write) it`),
    details: { hint: `chmod 600 ${path}` },
  })
})

test('a file without a secret may be readable by others, but not writable', async () => {
  expect(await readOwnFile(await fileOf(0o644))).toBe('text')
  await expect(readOwnFile(await fileOf(0o664))).rejects.toMatchObject({ code: 'machine' })
})

test('a symbolic link is rejected, with and without a target', async () => {
  const path = await fileOf(0o600)
  await symlink(path, `${path}.link`)
  await symlink(`${path}.gone`, `${path}.dangling`)
  for (const link of [`${path}.link`, `${path}.dangling`]) {
    await expect(readPrivateFile(link)).rejects.toMatchObject({
      code: 'machine',
      message: `${link} is a symbolic link, expected a file`,
    })
  }
})

test('a folder, a named pipe or a socket is rejected without waiting', async () => {
  const folder = await tempFolder()
  await mkdir(join(folder, 'folder'))
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
  const server = createServer().listen(join(folder, 'socket'))
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  for (const name of ['folder', 'pipe', 'socket']) {
    await expect(readPrivateFile(join(folder, name))).rejects.toMatchObject({
      code: 'machine',
      message: `${join(folder, name)} is not a regular file, expected a file`,
    })
  }
})

test.skipIf(process.getuid?.() !== 0)('a file of another user is refused (skipped unless run by root)', async () => {
  const path = await fileOf(0o600)
  await chown(path, 12_345, 12_345)
  for (const read of [readPrivateFile, readOwnFile]) {
    const message = `${path} belongs to user 12345, not to user 0 who runs crm`
    await expect(read(path)).rejects.toMatchObject({ code: 'machine', message })
  }
})

test('a link that replaces the file between two checks is never followed', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'keys.json')
  await writeFile(path, 'ours', { mode: 0o600 })
  await writeFile(join(folder, 'theirs'), 'theirs', { mode: 0o600 })
  const swapping = `
    const { renameSync, symlinkSync, writeFileSync } = require('node:fs')
    const { parentPort, workerData: folder } = require('node:worker_threads')
    parentPort.postMessage('ready')
    for (;;) {
      symlinkSync('theirs', folder + '/link')
      renameSync(folder + '/link', folder + '/keys.json')
      writeFileSync(folder + '/file', 'ours', { mode: 0o600 })
      renameSync(folder + '/file', folder + '/keys.json')
    }`
  const worker = new Worker(swapping, { eval: true, workerData: folder })
  onTestFinished(() => void worker.terminate())
  await once(worker, 'message')
  const seen = new Set<unknown>()
  // The worker may get no turn for a while.
  const endMs = performance.now() + 20_000
  for (let turn = 0; turn < 3000 || (seen.size < 2 && performance.now() < endMs); turn++) {
    seen.add(await readPrivateFile(path).catch((error: { code: unknown }) => error.code))
  }
  expect(seen).toEqual(new Set(['ours', 'machine']))
})

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
