import { existsSync, globSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { misplaced } from './misplaced.ts'
import { countOf, sabotaged } from './sabotage.ts'
import { AREAS, chosenBy, SABOTAGES } from './sabotages.ts'

test('the line that each changes occurs exactly once in its file', () => {
  expect(misplaced('.', SABOTAGES)).toEqual([])
})

test('each has tests that exist, a name of its own that is no flag, and changes something', () => {
  const names = SABOTAGES.map(({ name }) => name)
  expect(names.filter((name, at) => names.indexOf(name) !== at || name.startsWith('-'))).toEqual([])
  const paths = SABOTAGES.flatMap(({ tests }) => tests)
  expect(paths.filter((path) => !path.endsWith('.test.ts') || !existsSync(path))).toEqual([])
  expect(SABOTAGES.filter(({ line, to, tests }) => line === to || tests.length === 0)).toEqual([])
})

test('a line that moved to another file is named with the place where it stands now', () => {
  const [sabotage] = SABOTAGES
  if (!sabotage) throw new Error('there are none')
  const [moved] = misplaced('.', [{ ...sabotage, file: 'src/nowhere.ts' }])
  expect(moved?.reason).toContain(`in ${sabotage.file}`)
})

test('indentation does not count, and a line that stands twice is not changed', () => {
  const source = 'if (a) {\n    b()\n  }\nb()\nc()\n'
  expect(sabotaged(source, { line: 'c()', to: '' })).toBe('if (a) {\n    b()\n  }\nb()\n')
  expect(sabotaged(source, { line: 'b()\nc()', to: 'd()' })).toBe('if (a) {\n    b()\n  }\nd()\n')
  expect(countOf(source, 'b()')).toBe(2)
  expect(() => sabotaged(source, { line: 'b()', to: '' })).toThrow('2 times')
})

test('a word chooses an area, else a part of a name or of a path', () => {
  const [sabotage] = SABOTAGES
  if (!sabotage) throw new Error('there are none')
  for (const words of [[], ['client'], ['jobs', sabotage.name.slice(3)], [sabotage.file]]) {
    expect(chosenBy(sabotage, words)).toBe(true)
  }
  expect(chosenBy(sabotage, ['no such word'])).toBe(false)
  expect(SABOTAGES.filter((each) => chosenBy(each, ['commands']))).toEqual(AREAS.commands)
})

test('an area is called as its file', () => {
  const files = globSync('test/sabotage/*.ts').map((file) => basename(file, '.ts'))
  const helpers = ['misplaced', 'sabotage', 'sabotages', 'sabotages.test']
  expect(Object.keys(AREAS).sort()).toEqual(files.filter((file) => !helpers.includes(file)).sort())
})
