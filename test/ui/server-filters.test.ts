import { expect, test } from 'vitest'
import { parseServerFilters, serverFilterText } from '../../src/ui/list/server-filters.ts'

test('filters are words of key=value, with quotes around blanks, and values of one key are alternatives', () => {
  expect(parseServerFilters('  ')).toEqual({})
  expect(parseServerFilters(`stage='In Review' amount[gte]=1000 stage=Won segment=x`)).toEqual({
    stage: 'In Review,Won',
    'amount[gte]': '1000',
    segment: 'x',
  })
})

test.each([
  ['Won', '"Won" is not a filter, expected key=value'],
  ['stage = Won', '"stage" is not a filter, expected key=value'],
  ['stage=Won Lost', '"Lost" is not a filter, expected key=value'],
  ['=Won', '"=Won" is not a filter, expected key=value'],
  ['stage=', '"stage=" is not a filter, expected key=value'],
  ['amount[gte]=abc', 'amount[gte] is "abc", expected a number'],
  ['amount=', '"amount=" is not a filter'],
  ['stgae=Won', 'no field of a deal is called stgae'],
  ["stage='Won", `"stage='Won" is not a filter, expected key=value with closed quotes`],
])('%s is an error, and not ignored', (text, message) => {
  expect(() => parseServerFilters(text)).toThrow(message)
})

test('the filters of a list are shown again as typed', () => {
  for (const filters of [{ stage: 'In Review' }, { stage: "O'Brien", 'amount[gte]': '10' }, {}]) {
    expect(parseServerFilters(serverFilterText(filters))).toEqual(filters)
  }
})
