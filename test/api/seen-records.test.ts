import { expect, test } from 'vitest'
import { HashSet, onceEach, SeenRecords } from '../../src/api/pages/seen-records.ts'

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

test('a record that a page repeats is in it once, and another one with its id is a clash', () => {
  const ada = { id: 1, name: 'Ada' }
  const nameless = [{ name: 'Bob' }, { name: 'Bob' }]
  const equal = { name: 'Ada', id: 1 }
  expect(onceEach([ada, ...nameless, equal])).toEqual({ items: [ada, ...nameless], clash: undefined })
  const other = { id: 1, name: 'Eve' }
  expect(onceEach([ada, other])).toEqual({ items: [ada, other], clash: other })
})

test.each(['_id', 'Id', 'uuid'])('a record whose id is called %s is the same on another page', (name) => {
  const seen = new SeenRecords()
  seen.add([{ [name]: 'a', link: 'signed-1' }])
  const items = [
    { [name]: 'a', link: 'signed-2' },
    { [name]: 'b', link: 'signed-3' },
  ]
  expect(seen.without(items)).toEqual(items.slice(1))
})

test.each([{ account_id: 7 }, { gid: 7 }, { documentId: 'd' }, { uuid: '' }, { guid: null }, { Id: 0 }])(
  'records that share %j are different records',
  (shared) => {
    const seen = new SeenRecords()
    seen.add([{ ...shared, name: 'Ada' }])
    const items = [{ ...shared, name: 'Bob' }]
    expect(seen.without(items)).toEqual(items)
  },
)

test('an object of MongoDB is an id', () => {
  const seen = new SeenRecords()
  seen.add([{ _id: { $oid: '65' }, name: 'Ada' }])
  expect(seen.without([{ _id: { $oid: '65' }, name: 'Ada L.' }])).toEqual([])
})
