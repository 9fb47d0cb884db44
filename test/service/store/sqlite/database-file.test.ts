import { spawnSync } from 'node:child_process'
import { chmod, mkdir, open, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CrmError } from '../../../../src/core/errors.ts'
import { encodeId, firstSerialAt } from '../../../../src/core/ids.ts'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { MIGRATIONS } from '../../../../src/service/store/sqlite/migrations.ts'
import type { StoreOptions } from '../../../../src/service/store/store-options.ts'
import { allContacts, creation, ofContacts, removal } from '../samples.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { FIRST_SCHEMA } from './first-schema.ts'

const OPENER = fileURLToPath(new URL('./opening-process.ts', import.meta.url))

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8)
}

async function refusalOf(file: string, more: Partial<StoreOptions> = {}): Promise<CrmError> {
  const error = await openStore({ address: file, now: Date.now, ...more }).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof CrmError)) throw new Error(`expected a CrmError, got ${String(error)}`)
  expect(error.code).toBe('machine')
  expect(error.details.hint).toBeTruthy()
  return error
}

test('a database, its folders and its other files are readable by the owner alone', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'a', 'b', 'crm.db')
  const store = await openStore({ address: file, now: Date.now })
  await store.write(creation('contact'))
  expect(await modeOf(join(folder, 'a'))).toBe('700')
  expect(await modeOf(join(folder, 'a', 'b'))).toBe('700')
  for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(await modeOf(name)).toBe('600')
  await store.close()
  await expect(stat(`${file}-wal`)).rejects.toThrow('ENOENT')
})

test.runIf(process.platform === 'linux')('a folder that cannot be created is named', async () => {
  expect((await refusalOf('/proc/nope/crm/crm.db')).message).toBe(
    'cannot create the folder /proc/nope: no folder can be created in /proc',
  )
})

test('an existing folder keeps its mode', async () => {
  const folder = await temporaryFolder()
  await chmod(folder, 0o755)
  await (await openStore({ address: join(folder, 'crm.db'), now: Date.now })).close()
  expect(await modeOf(folder)).toBe('755')
})

test(':memory: keeps nothing and creates no file', async () => {
  const first = await openStore({ address: ':memory:', now: Date.now })
  await first.write(creation('contact'))
  expect(await allContacts(first)).toHaveLength(1)
  const second = await openStore({ address: ':memory:', now: Date.now })
  expect(await allContacts(second)).toEqual([])
  await first.close()
  await second.close()
  await expect(stat(':memory:')).rejects.toThrow('ENOENT')
})

test('a name that looks like a URI of SQLite is a name', async () => {
  const folder = await temporaryFolder()
  const name = 'file:crm.db?mode=memory'
  const { stdout } = spawnSync(process.execPath, ['--no-warnings', OPENER, name], { cwd: folder, encoding: 'utf8' })
  expect(stdout).toBe('opened\n')
  expect((await stat(join(folder, name))).size).toBeGreaterThan(0)
})

test('a missing file is rejected when none may be created', async () => {
  const file = join(await temporaryFolder(), 'crm.db')
  expect((await refusalOf(file, { isCreated: false })).message).toBe(`there is no database ${file}`)
  await expect(stat(file)).rejects.toThrow('ENOENT')
})

describe('a database without write permission', () => {
  /** Runs as a user without write permission, as root has every permission. */
  const open = (file: string, how: string) => {
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    const args = ['--no-warnings', OPENER, file, how]
    return spawnSync(process.execPath, args, { encoding: 'utf8', ...nobody }).stdout
  }
  test('is read while a service writes it and afterwards, and no file is created', async () => {
    const folder = await temporaryFolder()
    onTestFinished(() => chmod(folder, 0o755))
    const file = join(folder, 'crm.db')
    await writeFile(file, '', { mode: 0o644 })
    const store = await openStore({ address: file, now: Date.now })
    await store.write(creation('contact'))
    await Promise.all([file, `${file}-wal`, `${file}-shm`].map((name) => chmod(name, 0o444)))
    await chmod(folder, 0o555)
    expect(open(file, 'read')).toBe('read 1 contacts\n')
    await chmod(folder, 0o755)
    await store.close()
    await chmod(folder, 0o555)
    expect(open(file, 'read')).toBe('read 1 contacts\n')
    expect(open(file, 'write')).toContain('cannot be written: permission denied')
    expect(await readdir(folder)).toEqual(['crm.db'])
  })

  test('is rejected unchanged when made by an older crm', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'crm.db')
    await (await openStore({ address: file, now: Date.now })).close()
    const db = new DatabaseSync(file)
    db.exec('PRAGMA user_version = 1; PRAGMA journal_mode = DELETE')
    db.close()
    await chmod(file, 0o444)
    await chmod(folder, 0o555)
    onTestFinished(() => chmod(folder, 0o755))
    expect(open(file, 'read')).toContain('was made by an older crm: its schema is 1')
  })
})

test('unique members of contacts in a database of an older crm stay unique, with the values that are taken', async () => {
  const file = join(await temporaryFolder(), 'crm.db')
  const old = new DatabaseSync(file)
  const serial = firstSerialAt(Date.now())
  const version = 5
  for (const step of [FIRST_SCHEMA, ...MIGRATIONS].slice(0, version)) old.exec(step)
  old.exec(`
    PRAGMA user_version = ${version}; PRAGMA application_id = ${0x43524d31};
    INSERT INTO contacts VALUES (${serial}, 1, '{"email":"a@x.test"}');
    INSERT INTO unique_members VALUES ('email');
    INSERT INTO unique_values VALUES ('email', 'a@x.test', ${serial});
  `)
  old.close()
  const store = await openStore({ address: file, now: Date.now })
  onTestFinished(() => store.close())
  expect(await store.uniqueMembers()).toEqual(ofContacts('email'))
  const existingId = encodeId('contact', serial)
  expect(await store.write(creation('contact', { email: 'A@x.test' }))).toMatchObject({ member: 'email', existingId })
  await store.write(removal('contact', existingId))
  expect(await store.write(creation('contact', { email: 'a@x.test' }))).toHaveProperty('type', 'done')
})

test('contacts of a database of an older crm are found by every filter', async () => {
  const file = join(await temporaryFolder(), 'crm.db')
  const old = new DatabaseSync(file)
  const serials = [1, 2, 3].map((place) => firstSerialAt(Date.now()) + place)
  for (const step of [FIRST_SCHEMA, ...MIGRATIONS].slice(0, 6)) old.exec(step)
  const texts = [
    '{"id":"1","name":" Ada É ","email":"Ada@X.test","phone":"+1","company":"Engines, Ltd","owner_id":"U_1"}',
    '{"id":"2","name":null,"email":" ","email_2":"ada@x.test"}',
    '{"id":"3","nested":{"email":"ada@x.test"}}',
  ]
  for (const [place, text] of texts.entries())
    old.prepare('INSERT INTO contacts VALUES (?, 1, ?)').run(serials[place] ?? 0, text)
  old.exec(`PRAGMA user_version = 6; PRAGMA application_id = ${0x43524d31}`)
  old.close()
  const store = await openStore({ address: file, now: Date.now })
  onTestFinished(() => store.close())
  const found = async (values: Readonly<Record<string, readonly string[]>>) =>
    (await store.page('contact', { limit: 9, olderThanId: undefined }, { values })).texts.map(
      (text) => JSON.parse(text).id,
    )
  const filters = { email: 'ada@x.test', name: 'ADA É', phone: '+1', company: 'engines, ltd', owner_id: 'U_1' }
  for (const [name, value] of Object.entries(filters)) expect(await found({ [name]: [value] })).toEqual(['1'])
  expect(await found({ owner_id: ['u_1'] })).toEqual([])
  expect(await found({ email: [' '] })).toEqual([])
})

test('a file that is not a database is rejected unchanged', async () => {
  const folder = await temporaryFolder()
  for (const [name, content] of [
    ['short', 'hello'],
    ['long', 'crm '.repeat(5000)],
  ] as const) {
    const file = join(folder, name)
    await writeFile(file, content)
    expect((await refusalOf(file)).message).toBe(`database ${file} is not a database`)
    expect(await readFile(file, 'utf8')).toBe(content)
  }
})

test('a database of another program is rejected unchanged', async () => {
  const folder = await temporaryFolder()
  for (const [name, script] of [
    ['plain.db', 'CREATE TABLE contacts (id)'],
    ['marked.db', 'PRAGMA application_id = 77'],
    ['versioned.db', 'PRAGMA user_version = 3'],
  ] as const) {
    const file = join(folder, name)
    const other = new DatabaseSync(file)
    other.exec(script)
    other.close()
    const before = await readFile(file)
    expect((await refusalOf(file)).message).toBe(`database ${file} belongs to another program`)
    expect(await readFile(file)).toEqual(before)
  }
})

test('a database of a newer crm is rejected with both versions', async () => {
  const file = join(await temporaryFolder(), 'crm.db')
  await (await openStore({ address: file, now: Date.now })).close()
  const newer = new DatabaseSync(file)
  newer.exec('PRAGMA user_version = 1000')
  newer.close()
  expect((await refusalOf(file)).message).toContain('newer crm: its schema is 1000, expected at most')
})

test('a damaged database is reported as damaged, not as an empty list', async () => {
  const file = join(await temporaryFolder(), 'crm.db')
  const store = await openStore({ address: file, now: Date.now })
  await Promise.all(Array.from({ length: 2000 }, () => store.write(creation('contact'))))
  await store.close()
  const damaging = await open(file, 'r+')
  // Behind the schema, so that it opens.
  await damaging.write(Buffer.alloc(100_000, 'x'), 0, 100_000, 300_000)
  await damaging.close()
  const damaged = await openStore({ address: file, now: Date.now })
  await expect(allContacts(damaged)).rejects.toThrow(`database ${file} is damaged`)
  await damaged.close()
  await truncate(file, 60_000)
  expect((await refusalOf(file)).message).toBe(`database ${file} is damaged`)
})

test('an empty file becomes a database', async () => {
  const file = join(await temporaryFolder(), 'crm.db')
  await writeFile(file, '', { mode: 0o600 })
  const store = await openStore({ address: file, now: Date.now })
  expect(await store.pipelines()).toHaveLength(1)
  await store.close()
})

test.runIf(process.platform === 'linux')('a folder that does not accept files is reported as such', async () => {
  expect((await refusalOf('/proc/crm.db')).message).toBe(
    'database /proc/crm.db cannot be created: its folder does not accept files',
  )
})

test('a link is followed to an existing database, and never to create one', async () => {
  const folder = await temporaryFolder()
  const [file, link, target] = [join(folder, 'crm.db'), join(folder, 'link'), join(folder, 'elsewhere')]
  await symlink(target, link)
  expect((await refusalOf(link)).message).toBe(`database ${link} is a dangling link`)
  await expect(stat(target)).rejects.toThrow('ENOENT')
  await (await openStore({ address: file, now: Date.now })).close()
  await symlink(file, target)
  await (await openStore({ address: link, now: Date.now })).close()
})

test('a folder, or a file in place of a folder, is rejected', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'crm.db'))
  await writeFile(join(folder, 'file'), '')
  expect((await refusalOf(join(folder, 'crm.db'))).message).toContain('is not a file')
  expect((await refusalOf(join(folder, 'file', 'crm.db'))).message).toContain(
    'has a file in place of a folder in its path',
  )
  expect((await refusalOf(join(folder, 'file', 'a', 'crm.db'))).message).toContain(
    'has a file in place of a folder in its path',
  )
})

test('a file or folder without permission is rejected', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'crm.db')
  await (await openStore({ address: file, now: Date.now })).close()
  await chmod(file, 0o400)
  await chmod(folder, 0o755)
  const closed = join(folder, 'closed')
  await mkdir(closed, { mode: 0o500 })
  expect(openAsNobody(file)).toBe(`machine: database ${file} cannot be written: permission denied`)
  expect(openAsNobody(join(closed, 'crm.db'))).toBe(
    `machine: database ${join(closed, 'crm.db')} cannot be written: permission denied`,
  )
})

/** Runs as another user, as root may write anything. */
function openAsNobody(file: string): string {
  const isSuperuser = process.getuid?.() === 0
  const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', OPENER, file], {
    ...(isSuperuser ? { uid: 65_534, gid: 65_534 } : {}),
    encoding: 'utf8',
  })
  return (stdout || stderr).trim()
}
