import { expect, test } from 'vitest'
import { typedProfile } from '../../src/core/shell-words.ts'

test.each([
  [['jobs', 'resume', 'x', '-p', 'nolim'], ' -p nolim'],
  [['-pnolim', 'contacts', 'import', 'a.csv'], ' -p nolim'],
  [['contacts', 'import', 'a.csv', '--profile=my own'], " -p 'my own'"],
  [['contacts', 'import', '--', '-p', 'x'], ''],
  [['contacts', 'import', 'a.csv'], ''],
])('%j gives "%s" for commands to the same server', (argv, words) => {
  expect(typedProfile(argv)).toBe(words)
})
