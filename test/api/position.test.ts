import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Position, parsePosition, positionText } from '../../src/api/pages/positions.ts'
import { anyText } from '../output/naughty-strings.ts'

const ORIGIN = 'https://crm.example.com'

test.each<[Position, string]>([
  [{ parameter: 'cursor', cursor: 'abc=' }, 'abc='],
  [{ parameter: 'cursor', cursor: '?a' }, '?cursor=%3Fa'],
  [{ parameter: 'after', cursor: 'a&b' }, '?after=a%26b'],
  [{ address: '/v1/contacts?page=2' }, '?/v1/contacts?page=2'],
])('%j is written %s', (position, text) => {
  expect(positionText(position)).toBe(text)
  expect(parsePosition(text, ORIGIN)).toEqual(position)
})

test('every cursor comes back as it was', () => {
  const names = fc.stringMatching(/^[a-z_[\]]{1,9}$/)
  fc.assert(
    fc.property(names, anyText({ minLength: 1 }), names, (parameter, cursor, usual) => {
      fc.pre(cursor.isWellFormed())
      const position = { parameter, cursor }
      expect(parsePosition(positionText(position, usual), ORIGIN, usual)).toEqual(position)
    }),
  )
})

test.each(['?//evil.example/x', '?/\\\\evil.example', '?', '?a', '?a=1&b=2', '?=x'])('%s is not a cursor', (text) => {
  expect(() => parsePosition(text, ORIGIN)).toThrow(expect.objectContaining({ code: 'invalid_input' }))
})
