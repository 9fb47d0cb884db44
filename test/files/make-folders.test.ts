import { stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolders } from '../../src/files/make-folders.ts'
import { ensurePrivateFolder } from '../../src/files/private-folder.ts'
import { tempFolder } from './temp-folder.ts'

test('every folder that is missing is made for its owner alone', async () => {
  const path = join(await tempFolder(), 'a', 'b', 'c')
  makeFolders(path)
  makeFolders(path)
  for (const folder of [path, join(path, '..'), join(path, '..', '..')]) {
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  }
})

test('a link that leads nowhere is named', async () => {
  const link = join(await tempFolder(), 'link')
  await symlink('/nowhere/at/all', link)
  expect(() => makeFolders(join(link, 'below'))).toThrow(
    `cannot make the folder ${link}: its name is that of a link that leads nowhere`,
  )
})

test('a file in the place of a folder is refused as the system does', async () => {
  const file = join(await tempFolder(), 'file')
  await writeFile(file, '')
  expect(() => makeFolders(join(file, 'below'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }))
})

test.runIf(process.platform === 'linux')('a file system that takes no folders is named at once', async () => {
  const refusal = { code: 'machine', message: 'cannot make the folder /proc/nope: /proc takes no new folders' }
  expect(() => makeFolders('/proc/nope/crm')).toThrow(expect.objectContaining(refusal))
  await expect(ensurePrivateFolder('/proc/nope/deep/crm')).rejects.toMatchObject(refusal)
})
