import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { readAddress } from '../../../../src/service/store/postgres/address.ts'
import { crm as builtCrm } from '../../../e2e/crm.ts'
import { crm } from '../../../harness/crm.ts'
import { newPostgres } from '../../../harness/database.ts'
import { type Env, emptyHome, tempFolder } from '../../../harness/home.ts'

async function place() {
  const url = new URL(await newPostgres())
  return { url, database: url.pathname.slice(1), password: inject('postgres').servicePassword }
}

/** An environment without a password. */
function home(added: Env = {}): Env {
  const { PGPASSWORD: _, ...env } = emptyHome()
  return { ...env, ...added }
}

const stats = (env: Env, ...args: string[]) => builtCrm(['serve', 'stats', '-o', 'json', ...args], env)

test('a password on the command line is refused with what to do instead, and never printed', async () => {
  const { url } = await place()
  for (const address of [
    `postgres://crm:sesame@${url.host}/crm`,
    `postgresql:///crm?password=sesame&host=${url.hostname}`,
  ]) {
    for (const command of [['--port', '0'], ['keys', 'list'], ['stats']]) {
      const { exit, stdout, stderr } = await crm(['serve', ...command, '--database', address], home())
      expect([exit, stdout]).toEqual([2, ''])
      expect(stderr).toContain('--database has a password, which every user of this machine could read')
      expect(stderr).toMatch(/CRM_DATABASE_URL.*PGPASSWORD.*PGPASSFILE=/)
      expect(stderr).not.toContain('sesame')
    }
  }
})

test('the password comes from CRM_DATABASE_URL, PGPASSWORD or a password file', async () => {
  const { url, database, password } = await place()
  const file = join(tempFolder(), 'pgpass')
  const lines = [
    '# a comment',
    'elsewhere:*:*:crm:other',
    `${url.hostname}:*:${database}:crm:${password}`,
    '*:*:*:*:last',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  const secret = new URL(url)
  secret.password = password
  const ways = [
    await stats(home({ CRM_DATABASE_URL: secret.href })),
    await stats(home({ PGPASSWORD: password }), '--database', url.href),
    await stats(home({ PGPASSFILE: file }), '--database', url.href),
    await stats(
      home({ PGHOST: url.hostname, PGPORT: url.port, PGUSER: 'crm', PGDATABASE: database, PGPASSFILE: file }),
      '--database',
      'postgres://',
    ),
    await stats(home({ PGHOST: 'nowhere', PGPASSWORD: password, PGUSER: 'nobody' }), '--database', url.href),
  ]
  for (const { exit, stdout, stderr } of ways) {
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ contacts: 0 })
  }
})

test('--database goes before CRM_DATABASE_URL', async () => {
  const { url, password } = await place()
  const env = home({ CRM_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', PGPASSWORD: password })
  expect((await stats(env, '--database', url.href)).exit).toBe(0)
  expect((await stats(env)).exit).toBe(13)
})

test('a wrong password, a missing database and a server that is away are exit 13, with what to check', async () => {
  const { url, database, password } = await place()
  const missing = new URL(url)
  missing.pathname = '/missing'
  const open = join(tempFolder(), 'pgpass')
  writeFileSync(open, '*:*:*:*:x', { mode: 0o644 })
  const cases = [
    [home({ PGPASSWORD: 'wrong' }), url.href, 'refuses this user', 'PGPASSWORD'],
    [home({ PGPASSWORD: password }), missing.href, 'does not exist', 'createdb'],
    [home(), 'postgres://crm@127.0.0.1:1/crm', 'does not answer', 'check that PostgreSQL runs'],
    [
      home(),
      url.href,
      'asks for a password, and none is given',
      `${url.hostname}:${url.port}:${database}:crm:PASSWORD`,
    ],
    [home({ PGPASSFILE: open }), url.href, `other users can read the password file ${open}`, 'chmod 600'],
  ] as const
  for (const [env, address, what, hint] of cases) {
    const { exit, stdout, stderr } = await stats(env, '--database', address)
    expect([exit, stdout === '' || JSON.parse(stdout).error !== undefined]).toEqual([13, true])
    expect(stderr).toContain(what)
    expect(stderr).toContain(hint)
    expect(stderr).not.toContain(password)
  }
})

test('an address of another kind of database is exit 2, from the flag and from the variable', async () => {
  for (const address of [
    'mysql://crm:sesame@db/crm',
    'http://127.0.0.1/crm',
    'file:///crm.db',
    'postgres:/x/y',
    'sqlite:crm.db',
  ]) {
    const given = await crm(['serve', '--port', '0', '--database', address], home())
    const set = await crm(['serve', '--port', '0'], home({ CRM_DATABASE_URL: address }))
    for (const [name, { exit, stderr }] of [
      ['--database', given],
      ['CRM_DATABASE_URL', set],
    ] as const) {
      expect(exit).toBe(2)
      expect(stderr).toContain(`${name} is an address with ${new URL(address).protocol}`)
      expect(stderr).not.toContain('sesame')
    }
  }
})

test('the parts of an address come from it, and what it lacks from the variables of libpq', () => {
  const env = { PGHOST: 'db', PGPORT: '5433', PGUSER: 'ada', PGDATABASE: 'sales', PGPASSWORD: 'p' }
  expect(readAddress('postgres://', env)).toMatchObject({
    host: 'db',
    port: 5433,
    user: 'ada',
    database: 'sales',
    password: 'p',
  })
  expect(readAddress('postgresql://a%40b:c%2Fd@[::1]:6000/x%20y?sslmode=disable', env)).toMatchObject({
    ...{ host: '::1', port: 6000, user: 'a@b', database: 'x y', password: 'c/d', ssl: false },
    name: 'postgres://a@b@[::1]:6000/x y',
  })
  expect(readAddress('postgres:///crm?host=/run/postgresql', {})).toMatchObject({
    name: 'postgres:///crm?host=/run/postgresql',
  })
  for (const [address, what] of [
    ['postgres://h:99999/x', 'expected'],
    ['postgres://h/x?port=zero', 'expected a port of PostgreSQL, got zero'],
    ['postgres://h/x?sslmode=sometimes', 'sslmode'],
    ['postgres://h/x?colour=red', 'unknown parameter colour'],
  ] as const) {
    expect(() => readAddress(address, {})).toThrow(what)
  }
})

test('a password file may have escapes, and its first line that fits counts', async () => {
  const file = join(tempFolder(), 'pgpass')
  writeFileSync(file, 'h:5432:a\\:b:crm:se\\:s\\\\ame\r\nh:5432:*:crm:later\n', { mode: 0o600 })
  const passwordOf = (database: string) => {
    const { password } = readAddress(`postgres://crm@h/${database}`, { PGPASSFILE: file })
    return typeof password === 'string' ? password : password()
  }
  expect(await passwordOf('a%3Ab')).toBe('se:s\\ame')
  expect(await passwordOf('other')).toBe('later')
})

test.each([
  'postgres://crm:se/same@h/crm',
  'postgres://crm:se#same@h/crm',
  'postgres://crm:se?same@h:5432/crm',
  'postgres://crm:se%zzsame@h/crm',
  'postgres://crm:100@se@h:x/crm',
  'postgres://crm:12?same@h/crm',
  'postgres://crm:12#same@h/crm',
  'postgres://crm:12/same@h/crm',
  'postgres://crm:sesame',
  'postgres://crm:sesame@h:port/crm',
])('an address that cannot be read (%s) is exit 2, and no part of its password is printed', async (address) => {
  const { exit, stderr } = await crm(['serve', 'stats'], home({ CRM_DATABASE_URL: address }))
  expect(exit).toBe(2)
  expect(stderr).toContain('expected the address of a PostgreSQL database, got postgres://')
  expect(stderr).not.toMatch(/same|se[/#?%]/)
})

test.each([
  ['', '--database is empty'],
  ['host=db dbname=crm user=crm', '--database is a list of parameters'],
  ['postgres://crm@a:5432,b:5432/crm', 'names several hosts, expected one'],
  ['postgres://h/crm?sslcert=/x.pem&sslmode=require', 'the file /x.pem'],
])('%j, which names no database, is refused and makes no file', async (address, what) => {
  const folder = tempFolder()
  const { exit, stderr } = await crm(['serve', '--port', '0', '--database', address], home(), '', folder)
  expect([exit, stderr.includes(what), readdirSync(folder)]).toEqual([what.includes('file') ? 13 : 2, true, []])
})

test('a password is left out of an address with the sign before it', async () => {
  const args = ['serve', 'stats', '--database', 'postgres://crm@h/crm?password=sesame']
  expect((await crm(args, home())).stderr).toMatch(/--database postgres:\/\/crm@h\/crm\n/)
})
