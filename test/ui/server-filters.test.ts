import { expect, test } from 'vitest'
import { completeFilter } from '../../src/ui/list/complete-filter.ts'
import { ignoredFilter, parseServerFilters, serverFilterText } from '../../src/ui/list/server-filters.ts'

test('filters are words of key=value, with quotes around blanks, and values of one key are alternatives', () => {
  expect(parseServerFilters('  ', 'deals')).toEqual({})
  expect(parseServerFilters(`stage='In Review' amount[gte]=1000 stage=Won segment=x`, 'deals')).toEqual({
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
  expect(() => parseServerFilters(text, 'deals')).toThrow(message)
})

test('the filters of a list are shown again as typed', () => {
  for (const filters of [{ stage: 'In Review' }, { stage: "O'Brien", 'amount[gte]': '10' }, {}]) {
    expect(parseServerFilters(serverFilterText(filters), 'deals')).toEqual(filters)
  }
})

const WORDS = {
  names: ['stage', 'status', 'owner_id', 'amount[gte]'],
  values: { stage: ['Closed Won', 'Closed Lost', 'Lead'] },
  rows: [{ owner_id: 'u_ines' }, { owner_id: 'u_omar' }, { owner_id: 'u_ines' }],
}

test('names, stages and values of the loaded rows are completed, with quotes where a value has blanks', () => {
  expect(completeFilter('st', WORDS)).toEqual(['stage=', 'status='])
  expect(completeFilter('stage=clo', WORDS)).toEqual(['stage="Closed Won" ', 'stage="Closed Lost" '])
  expect(completeFilter('stage="closed l', WORDS)).toEqual(['stage="Closed Lost" '])
  expect(completeFilter('stage="Closed Won" ow', WORDS)).toEqual(['stage="Closed Won" owner_id='])
  expect(completeFilter('owner_id=', WORDS)).toEqual(['owner_id=u_ines ', 'owner_id=u_omar '])
  expect(completeFilter('nothing=x', WORDS)).toEqual([])
  for (const text of completeFilter('stage=clo', WORDS)) {
    expect(parseServerFilters(text, 'deals').stage).toMatch(/^Closed /)
  }
})

test('a filter that the rows contradict was ignored by the server', () => {
  expect(ignoredFilter({ company: 'acme' }, [{ company: 'Acme' }, { name: 'x' }])).toBeUndefined()
  expect(ignoredFilter({ company: 'Acme,Other' }, [{ company: 'Other' }])).toBeUndefined()
  expect(ignoredFilter({ 'amount[gte]': '5', company: 'Acme' }, [{ company: 'Third' }])).toBe('company=Acme')
})

test('contacts have a misspelt filter refused, with a suggestion', () => {
  expect(() => parseServerFilters('compny=Acme', 'contacts')).toThrow('no field of a contact is called compny')
})
