import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../../scripts/torture.ts', import.meta.url))

function torture(...flags: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...flags], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('torture --help prints its flags on stdout, and imports nothing', () => {
  const help = torture('--help')
  expect(help).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(/^Usage: npm run torture -- .*--kills <n>/s),
  })
})

test.each([
  [['--kill', '3'], "unknown option '--kill'"],
  [['--kills', 'many'], "option '--kills <n>' argument 'many' is invalid"],
  [['--server', 'none'], "option '--server <kind>' argument 'none' is invalid"],
  [['--mutant', 'none'], "option '--mutant <name>' argument 'none' is invalid"],
])('torture %j is exit 2 with the flags on stderr', (flags, message) => {
  const { status, stdout, stderr } = torture(...flags)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(message)
  expect(stderr).toContain('Usage: npm run torture')
})
