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

test("docs/security.md has a line for each thing that another person's connector may not do", () => {
  const page = readFileSync(new URL('docs/security.md', root), 'utf8')
  const proven = (threat: string) => page.split('\n').find((line) => line.startsWith(`| ${threat} |`)) ?? ''
  expect(proven("another person's connector names a command, a file or a variable of the environment")).toContain(
    'connectors/no-power.test.ts',
  )
  expect(proven("another person's connector is huge, deep, or hangs")).toContain('load-connector.test.ts')
  expect(proven("another person's connector redirects or replaces the key")).toContain('check-access.test.ts')
  expect(proven("another person's connector names another origin")).toContain('connectors/choose.test.ts')
  expect(proven('the next page of a connector is on another host')).toContain('declared-lists.test.ts')
  expect(proven("a repository's `.crm.toml` names a connector")).toContain('repository-connector.test.ts')
})
