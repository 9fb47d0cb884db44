import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('..', import.meta.url)

test('every file that docs/security.md names as its proof is there, and every threat names one', () => {
  const page = readFileSync(new URL('docs/security.md', root), 'utf8')
  const named = page.match(/`(?:src|test)\/[\w./-]+`/g)?.map((path) => path.slice(1, -1)) ?? []
  expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
  const threats = page.split('\n').filter((line) => /^\| (?!threat|---)/.test(line))
  expect(threats.length).toBeGreaterThan(20)
  expect(threats.filter((line) => !/`(?:src|test)\//.test(line))).toEqual([])
})
