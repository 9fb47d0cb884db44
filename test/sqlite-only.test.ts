import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isSqliteOnly, SQLITE_ONLY } from './sqlite-only.ts'

/** Opens SQLite by itself, unlike `newDatabase`. */
const OWN_SQLITE = /'node:sqlite'|\/store\/sqlite\/|':memory:'|[a-z.]+\.db'/

test('a test that opens a database of SQLite by itself is listed, with the reason', () => {
  const files = globSync('test/service/**/*.test.ts').filter((file) => OWN_SQLITE.test(readFileSync(file, 'utf8')))
  expect(files.filter((file) => !isSqliteOnly(file))).toEqual([])
  expect(Object.keys(SQLITE_ONLY).filter((file) => !existsSync(file))).toEqual([])
})
