import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SABOTAGES } from './sabotages.ts'

test.each(SABOTAGES)('$name: what it changes stands once in $file', ({ file, from, tests }) => {
  expect(readFileSync(file, 'utf8').split(from)).toHaveLength(2)
  for (const path of tests) expect(readFileSync(path, 'utf8')).toContain("from 'vitest'")
})
