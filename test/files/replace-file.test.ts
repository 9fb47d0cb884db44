import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type NewFile, replaceFile, untilFree } from '../../src/files/replace-file.ts'
import { tempFolder } from './temp-folder.ts'

const writing =
  (text: string) =>
  async ({ stream }: NewFile) => {
    stream.write(text)
    return text.length
  }

test('the file is unchanged until all is written, and no other file is left beside it', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'x.csv')
  await writeFile(path, 'before')
  const written = await replaceFile(path, async ({ stream }) => {
    stream.write('af')
    expect(await readFile(path, 'utf8')).toBe('before')
    stream.write('ter')
    return 2
  })
  expect(written).toBe(2)
  expect(await readFile(path, 'utf8')).toBe('after')
  expect(await readdir(folder)).toEqual(['x.csv'])
})

test('a failed write leaves the old file, or none', async () => {
  const folder = await tempFolder()
  const path = join(folder, 'x.csv')
  const failing = async ({ stream }: NewFile) => {
    stream.write('half')
    throw new Error('the list broke off')
  }
  await expect(replaceFile(path, failing)).rejects.toThrow('the list broke off')
  expect(await readdir(folder)).toEqual([])
  await writeFile(path, 'before')
  await expect(replaceFile(path, failing)).rejects.toThrow('the list broke off')
  expect(await readFile(path, 'utf8')).toBe('before')
})

test('a new file has the usual mode, an existing one keeps its own, and a link stays a link', async () => {
  const folder = await tempFolder()
  const [path, link] = [join(folder, 'x.csv'), join(folder, 'link.csv')]
  await replaceFile(path, writing('a'))
  const [usual] = [0o666 & ~process.umask()]
  expect((await stat(path)).mode & 0o777).toBe(usual)
  await chmod(path, 0o640)
  await symlink(path, link)
  await replaceFile(link, writing('b'))
  expect((await lstat(link)).isSymbolicLink()).toBe(true)
  expect(await readFile(path, 'utf8')).toBe('b')
  expect((await stat(path)).mode & 0o777).toBe(0o640)
})

test('a device is written directly; a full device, a folder and a path without a folder are reported', async () => {
  expect(await replaceFile('/dev/null', writing('abc'))).toBe(3)
  expect((await stat('/dev/null')).isCharacterDevice()).toBe(true)
  await expect(replaceFile('/dev/full', writing('abc'))).rejects.toMatchObject({ code: 'machine' })
  const folder = await tempFolder()
  await expect(replaceFile(folder, writing('abc'))).rejects.toMatchObject({ code: 'machine' })
  await expect(replaceFile(join(folder, 'no', 'x.csv'), writing('abc'))).rejects.toMatchObject({ code: 'machine' })
})

function failing(times: number, code: string) {
  let tries = 0
  return async () => {
    tries++
    if (tries <= times) throw Object.assign(new Error(code), { code })
    return undefined
  }
}

test('Windows is asked again while another program has the file open', async () => {
  await untilFree(failing(2, 'EPERM'), 'win32')
  await untilFree(failing(1, 'EBUSY'), 'win32')
})

test('what is no such failure, or is on another system, fails at once', async () => {
  await expect(untilFree(failing(1, 'ENOENT'), 'win32')).rejects.toThrow('ENOENT')
  await expect(untilFree(failing(1, 'EPERM'), 'linux')).rejects.toThrow('EPERM')
})
