import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { crm } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

const HERE = 'postgres://crm@127.0.0.1:9/crm'

test.each([
  [[], {}, 'a copy needs a source and a target'],
  [['--from', 'crm.db'], {}, 'a copy needs a source and a target'],
  [['--to', HERE], {}, 'a copy needs a source and a target'],
  [[], { CRM_DATABASE_URL: HERE }, 'a copy needs a source and a target'],
  [['--from', ':memory:', '--to', HERE], {}, 'a database in memory ends with its process'],
  [['--from', 'a.db', '--to', 'b.db'], {}, 'both databases are SQLite files, which a backup copies'],
  [['--from', 'a.db'], { CRM_DATABASE_URL: 'b.db' }, 'both databases are SQLite files'],
  [['--from', HERE, '--to', HERE], {}, 'both databases are of PostgreSQL, which has tools of its own for this'],
  [
    ['--from', 'mysql://h/d', '--to', HERE],
    {},
    '--from is an address with mysql:, expected an SQLite file, postgres://',
  ],
  [['--from', 'a.db'], { CRM_DATABASE_URL: 'mysql://h/d' }, 'CRM_DATABASE_URL is an address with mysql:'],
])('serve copy %j with %j is exit 2', async (words, env, message) => {
  const { exit, stdout, stderr } = await crm(['serve', 'copy', ...words], emptyHome(env))
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
  expect(stderr).toContain(`crm: ${message}`)
})

test.each(['--from', '--to'])('a password in %s is refused, and not repeated', async (flag) => {
  const other = flag === '--from' ? '--to' : '--from'
  const words = ['serve', 'copy', flag, 'postgres://crm:geheim@127.0.0.1/crm', other, 'crm.db']
  const { exit, stderr } = await crm(words, emptyHome())
  expect(exit).toBe(2)
  expect(stderr).toContain(`${flag} has a password, which every user of this machine could read`)
  expect(stderr).toContain(`PGPASSFILE=FILE crm serve copy ${flag} postgres://crm@127.0.0.1/crm`)
  expect(stderr).not.toContain('geheim')
})

test('a password in CRM_DATABASE_URL is that of the end which is not named, and is not repeated', async () => {
  const env = emptyHome({ CRM_DATABASE_URL: 'postgres://crm:geheim@127.0.0.1:9/crm' })
  const file = join(env.HOME, 'crm.db')
  const { exit, stderr } = await crm(['serve', 'copy', '--to', file], env)
  expect(exit).toBe(13)
  expect(stderr).toContain(`database ${HERE} does not answer`)
  expect(stderr).not.toContain('geheim')
  // The source comes first, so that no target is left behind.
  expect(existsSync(file)).toBe(false)
})

test('a source that is not there, or is no database of crm, is exit 13 and leaves nothing', async () => {
  const env = emptyHome()
  const file = join(env.HOME, 'no folder', 'none.db')
  const missing = await crm(['serve', 'copy', '--from', file, '--to', HERE], env)
  // `crm serve --database` would make an empty one of the mistyped name.
  const hint = `name another with --from; to list the files there: ls '${dirname(file)}'`
  expect(missing).toEqual({ exit: 13, stdout: '', stderr: `crm: there is no database ${file}\n  ${hint}\n` })
  expect(existsSync(dirname(file))).toBe(false)
  mkdirSync(dirname(file))
  writeFileSync(file, 'no database, and longer than a header of one\n'.repeat(100))
  const other = await crm(['serve', 'copy', '--from', file, '--to', HERE], env)
  expect(other).toMatchObject({ exit: 13, stderr: expect.stringContaining(`database ${file} is not a database`) })
})
