import type { Sabotage } from './sabotage.ts'

const LISTS = ['test/probe/lists.test.ts']
const GROWTH = ['test/probe/growth.test.ts']
const RECORDS = ['test/probe/records.test.ts']

export const PROBE: readonly Sabotage[] = [
  {
    name: 'a paging is written that the connector was not seen to read the list by',
    file: 'src/probe/find-list.ts',
    line: "return typeof read === 'string' ? read : differenceOf(reference, read)",
    to: "return typeof read === 'string' ? undefined : differenceOf(read, read)",
    tests: LISTS,
  },
  {
    name: 'one answer of a list whose end is unknown is taken for the whole list',
    file: 'src/probe/find-list.ts',
    line: 'const [sure, other] = [pages, small].filter((each) => each !== undefined && each.reading.doubt === undefined)',
    to: 'const [sure, other] = [pages, small].filter((each) => each !== undefined)',
    tests: LISTS,
  },
  {
    name: 'a record that was added meanwhile makes an offset count from 1',
    file: 'src/probe/paging-candidates.ts',
    line: 'const isFromOne = scalars[0]?.some(({ name, value }) => name === foldedName(param) && value === 1) === true',
    to: 'const isFromOne = true',
    tests: LISTS,
  },
  {
    name: 'ids that count the records are sent as places of the list',
    file: 'src/probe/paging-candidates.ts',
    line: '(counts.length === 0 || LAST_ID_PARAMETERS.some((name) => name === param)) &&',
    to: '(counts.length >= 0 || LAST_ID_PARAMETERS.some((name) => name === param)) &&',
    tests: GROWTH,
  },
  {
    name: 'a list without a sign of paging may grow past a usual page, and is cut there',
    file: 'src/probe/one-page.ts',
    line: 'return most === undefined ? {} : { most }',
    to: 'return most === -1 ? { most } : {}',
    tests: GROWTH,
  },
  {
    name: 'the email of an owner is taken for that of the contact without asking',
    file: 'src/probe/nested-fields.ts',
    line: 'if (best) return { made: madeOf(field, best.path), path: best.path, isSure: own.length === 1 }',
    to: 'if (best) return { made: madeOf(field, best.path), path: best.path, isSure: true }',
    tests: RECORDS,
  },
  {
    name: 'the answer for another record makes a request for one',
    file: 'src/probe/find-list.ts',
    line: 'return at !== undefined && idText(readFirst(compilePath(idPath), at)) === id',
    to: 'return at !== undefined && id !== undefined && idPath !== undefined',
    tests: RECORDS,
  },
]
