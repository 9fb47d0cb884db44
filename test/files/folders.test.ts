import { stat, symlink, writeFile } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { makeFolders, settingsFolder } from '../../src/files/folders.ts'
import { ensurePrivateFolder } from '../../src/files/private-file.ts'
import { tempFolder } from './temp-folder.ts'

test('every missing folder is created with mode 0700', async () => {
  const path = join(await tempFolder(), 'a', 'b', 'c')
  makeFolders(path)
  makeFolders(path)
  for (const folder of [path, join(path, '..'), join(path, '..', '..')]) {
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  }
})

test('a link to a missing target is named', async () => {
  const link = join(await tempFolder(), 'link')
  await symlink('/nowhere/at/all', link)
  expect(() => makeFolders(join(link, 'below'))).toThrow(
    `cannot create the folder ${link}: a link to a missing target has this name`,
  )
})

test('a file in place of a folder is rejected with the error of the system', async () => {
  const file = join(await tempFolder(), 'file')
  await writeFile(file, '')
  expect(() => makeFolders(join(file, 'below'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }))
})

test.runIf(process.platform === 'linux')('a file system that takes no folders is named at once', async () => {
  const refusal = { code: 'machine', message: 'cannot create the folder /proc/nope: no folder can be created in /proc' }
  expect(() => makeFolders('/proc/nope/crm')).toThrow(expect.objectContaining(refusal))
  await expect(ensurePrivateFolder('/proc/nope/deep/crm')).rejects.toMatchObject(refusal)
})

test.each([
  [{ CRM_CONFIG_HOME: '/c', XDG_CONFIG_HOME: '/x', HOME: '/h' }, '/c'],
  [{ CRM_CONFIG_HOME: '', XDG_CONFIG_HOME: '/x', HOME: '/h' }, '/x/crm'],
  [{ XDG_CONFIG_HOME: 'relative', HOME: '/h' }, '/h/.config/crm'],
  [{ XDG_CONFIG_HOME: '', HOME: '/h' }, '/h/.config/crm'],
  [{}, join(homedir(), '.config', 'crm')],
])('with %j the settings are in %s', (env, folder) => {
  expect(settingsFolder(env)).toBe(folder)
})

test('an empty HOME is the home of the account, not the working folder', () => {
  vi.stubEnv('HOME', '')
  expect(settingsFolder({ HOME: '' })).toBe(join(userInfo().homedir, '.config', 'crm'))
  vi.unstubAllEnvs()
})
