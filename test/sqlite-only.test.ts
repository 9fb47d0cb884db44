import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isSqliteOnly, PARTLY_SQLITE, SQLITE_ONLY } from './sqlite-only.ts'

/** Names a database of SQLite by itself, instead of `newDatabase`. */
const NAMES_SQLITE = /'node:sqlite'|\/store\/sqlite\/|'--database', ':memory:'|crm\.db'/

test('a test that names a database of SQLite by itself is listed, with the reason', () => {
  const files = globSync('test/{service,commands,e2e,ui,api,jobs}/**/*.test.ts').filter((file) =>
    NAMES_SQLITE.test(readFileSync(file, 'utf8')),
  )
  expect(files.filter((file) => !isSqliteOnly(file) && !(file in PARTLY_SQLITE))).toEqual([])
  const listed = Object.keys({ ...SQLITE_ONLY, ...PARTLY_SQLITE })
  expect(listed.filter((path) => !existsSync(path))).toEqual([])
})
