import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const FOLDER = fileURLToPath(new URL('../../../../src/service/store/sqlite', import.meta.url))

test('no statement binds a bare limit, for which SQLite would prepare it on every run', () => {
  const limits = readdirSync(FOLDER).flatMap((name) => {
    const text = readFileSync(join(FOLDER, name), 'utf8')
    return [...text.matchAll(/LIMIT \?.{0,5}/g)].map(([limit]) => `${name}: ${limit}`)
  })
  expect(limits.length).toBeGreaterThan(5)
  expect(limits.filter((limit) => !/\?\d* \+ 0/.test(limit))).toEqual([])
})
