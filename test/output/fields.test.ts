import { expect, test } from 'vitest'
import { parseFields, valueAtField } from '../../src/output/record-output.ts'

test('names are separated by commas, and members of a path by dots', () => {
  expect(parseFields('id, owner.name ,a')).toEqual([['id'], ['owner', 'name'], ['a']])
})

test.each(['', ' ', 'a,', ',a', 'a,,b', 'a..b', '.a', 'a.', 'a, .b', '.'])('%j is rejected, and named', (text) => {
  expect(() => parseFields(text)).toThrow(
    expect.objectContaining({ code: 'usage', message: `--fields contains an empty name: ${JSON.stringify(text)}` }),
  )
})

test.each([
  ['owner.name', 'Ann'],
  ['tags.1', 'b'],
  ['tags.x', undefined],
  ['tags.length', undefined],
  ['owner.constructor', undefined],
  ['toString', undefined],
  ['owner.name.first', undefined],
  ['none.at.all', undefined],
  ['a.b', 'dotted'],
  ['gone', null],
  ['people.name', ['Bob', 'Cyd']],
  ['people.0.name', 'Bob'],
  ['people.nmae', undefined],
])('%s is %j', (field, value) => {
  const record = {
    owner: { name: 'Ann' },
    tags: ['a', 'b'],
    'a.b': 'dotted',
    a: { b: 'nested' },
    gone: null,
    people: [{ name: 'Bob' }, {}, { name: 'Cyd' }],
  }
  expect(valueAtField(record, parseFields(field)[0] ?? [])).toEqual(value)
})
