import { chmod, chown, mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ensurePrivateFolder } from '../../src/files/private-file.ts'
import { tempFolder } from './temp-folder.ts'

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8)
}

test('a missing folder and its parents are created with mode 0700', async () => {
  const parent = join(await tempFolder(), 'config')
  await ensurePrivateFolder(join(parent, 'crm'))
  expect(await modeOf(join(parent, 'crm'))).toBe('700')
  expect(await modeOf(parent)).toBe('700')
})

test('an existing folder keeps its mode when no one else can write in it', async () => {
  const path = join(await tempFolder(), 'crm')
  await mkdir(path)
  await chmod(path, 0o755)
  await ensurePrivateFolder(path)
  expect(await modeOf(path)).toBe('755')
})

test('concurrent calls create one folder', async () => {
  const path = join(await tempFolder(), 'a', 'b')
  await Promise.all(Array.from({ length: 20 }, () => ensurePrivateFolder(path)))
  expect(await modeOf(path)).toBe('700')
})

test('a folder that others can write in is rejected, with the chmod to type', async () => {
  const path = join(await tempFolder(), 'my crm')
  await mkdir(path)
  await chmod(path, 0o777)
  await expect(ensurePrivateFolder(path)).rejects.toMatchObject({
    code: 'machine',
    message: `${path} has mode 777: others can write in it`,
    details: { hint: `chmod 700 '${path}'` },
  })
})

test('a folder that its group can write in is rejected, too', async () => {
  const path = join(await tempFolder(), 'crm')
  await mkdir(path)
  await chmod(path, 0o770)
  await expect(ensurePrivateFolder(path)).rejects.toThrow('has mode 770: others can write in it')
})

test('a folder shared by everyone is rejected without advice to change its mode', async () => {
  const path = join(await tempFolder(), 'shared')
  await mkdir(path)
  await chmod(path, 0o1777)
  await expect(ensurePrivateFolder(path)).rejects.toMatchObject({
    message: `${path} has mode 1777: others can write in it`,
    details: { hint: 'name a folder of your own' },
  })
})

test('a symbolic link is rejected, also with a trailing slash', async () => {
  const folder = await tempFolder()
  await mkdir(join(folder, 'real'))
  await symlink(join(folder, 'real'), join(folder, 'link'))
  const refusal = { code: 'machine', message: `${join(folder, 'link')} is a symbolic link, expected a folder` }
  await expect(ensurePrivateFolder(join(folder, 'link'))).rejects.toMatchObject(refusal)
  await expect(ensurePrivateFolder(`${join(folder, 'link')}/`)).rejects.toMatchObject(refusal)
})

test('a file in place of the folder or of a parent is named', async () => {
  const path = join(await tempFolder(), 'crm')
  await writeFile(path, '')
  await expect(ensurePrivateFolder(path)).rejects.toMatchObject({ code: 'machine', message: `${path} is not a folder` })
  await expect(ensurePrivateFolder(join(path, 'below'))).rejects.toMatchObject({ code: 'machine' })
})

// Only root can give a folder away.
test.runIf(process.getuid?.() === 0)('a folder of another user is refused', async () => {
  const path = join(await tempFolder(), 'crm')
  await mkdir(path)
  await chown(path, 12345, 12345)
  await expect(ensurePrivateFolder(path)).rejects.toMatchObject({
    code: 'machine',
    message: `${path} belongs to user 12345, not to user 0 who runs crm`,
  })
})
