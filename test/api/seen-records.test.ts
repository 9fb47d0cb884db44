import { expect, test } from 'vitest'
import { HashSet } from '../../src/api/paging/hash-set.ts'
import { SeenRecords } from '../../src/api/paging/seen-records.ts'

test('a set of 300,000 texts has all that were added, and no other', () => {
  const set = new HashSet()
  for (let n = 0; n < 300_000; n += 2) set.add(`con_${n}`)
  for (let n = 0; n < 300_000; n++) if (set.has(`con_${n}`) !== (n % 2 === 0)) throw new Error(`con_${n}`)
  expect(set.has('')).toBe(false)
})

test('1 and "1" are different records, and records without an id are never left out', () => {
  const seen = new SeenRecords()
  seen.add([{ id: 1 }, { name: 'Ada' }, { id: null, name: 'Bob' }])
  const items = [{ id: 1 }, { id: '1' }, { name: 'Ada' }, { id: null, name: 'Bob' }]
  expect(seen.without(items)).toEqual(items.slice(1))
  expect(seen.hasAll([{ name: 'Ada' }])).toBe(false)
  expect(seen.hasAll([{ id: 1 }, { name: 'Ada' }, { id: null, name: 'Bob' }])).toBe(true)
})
