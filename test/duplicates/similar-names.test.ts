import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { clusters } from '../../src/duplicates/find-duplicates.ts'
import { SimilarNames } from '../../src/duplicates/similar-names.ts'

/** 0 if they are not compared, or less similar than 0.5. */
function scoreOf(one: string, other: string, groups: readonly [string, string] = ['', '']): number {
  const names = new SimilarNames()
  names.add(one, groups[0])
  names.add(other, groups[1])
  return names.pairs(0.5)[0]?.score ?? 0
}

test('the order of words, accents, scripts, titles and case make no difference to a name', () => {
  expect(scoreOf('ada lovelace', 'Lovelace, Ada')).toBe(1)
  expect(scoreOf('Dr. Jürgen Weiß', 'jurgen weiss')).toBe(1)
  expect(scoreOf('Jürgen Weiß', 'Juergen Weiss')).toBeCloseTo(0.98)
  expect(scoreOf('Сергей Иванов', 'Sergei Ivanov')).toBeGreaterThan(0.95)
})

test('names with a typo are similar, and male and female forms, relatives and namesakes are not', () => {
  expect(scoreOf('Katharina Schneider', 'Katharian Schneider')).toBeGreaterThan(0.95)
  expect(scoreOf('J. Schneider', 'Jonas Schneider')).toBe(0.92)
  expect(scoreOf('Mario Rossi', 'Maria Rossi')).toBe(0.8)
  expect(scoreOf('Paul Weber', 'Paula Weber')).toBe(0.8)
  expect(scoreOf('Ada Lovelace', 'Byron Lovelace')).toBe(0)
  expect(scoreOf('Ada Lovelace', 'Ada Byron')).toBe(0)
})

test('a middle name costs one twentieth, and one word alone is similar to no longer name', () => {
  expect(scoreOf('Ada Lovelace', 'Ada King Lovelace')).toBe(0.95)
  expect(scoreOf('Ada', 'Ada Lovelace')).toBe(0)
})

test('names of two groups are not compared', () => {
  expect(scoreOf('Ada Lovelace', 'Ada Lovelace', ['Orbit', 'Engines'])).toBe(0)
})

test('a chain of small differences does not join names that are not alike', () => {
  const pair = (one: number, other: number, score: number) => ({ one, other, score })
  const joined = clusters([pair(0, 1, 0.97), pair(1, 2, 0.96), pair(2, 3, 0.95)])
  expect(joined).toEqual([pair(0, 1, 0.97), pair(2, 3, 0.95)])
})

test('names in a block of thousands are compared with their neighbours in the alphabet', () => {
  const names = new SimilarNames()
  for (let at = 0; at < 3000; at++)
    names.add(`Anna Ba${'abcdefghij'[at % 10]}${'abcdefghij'[((at / 10) % 10) | 0]}${at}`, '')
  names.add('Anna Zoller', '')
  names.add('Anna Zolller', '')
  expect(names.pairs(0.97)).toContainEqual({ one: 3000, other: 3001, score: 0.98 })
})

/** The second set was written by hand after the measure and its threshold were fixed; its different pairs are near-misses. */
test.each([
  ['labelled', 2000, 0.79, 0.87],
  ['held out', 100, 0.75, 0.79],
])('the default threshold tells the %s pairs apart (%i)', (set, count, precision, recall) => {
  const lines = readFileSync(new URL('labelled-names.csv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  const pairs = lines.map((line) => line.split(';')).filter((cells) => cells[3] === set)
  expect(pairs).toHaveLength(count)
  const found = pairs.filter(([one = '', other = '']) => scoreOf(one, other) >= 0.92)
  const right = found.filter(([, , person]) => person === 'same')
  expect(right.length / found.length).toBeGreaterThan(precision)
  expect(right.length / (count / 2)).toBeGreaterThan(recall)
})
