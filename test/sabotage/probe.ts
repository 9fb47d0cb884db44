import type { Sabotage } from './sabotage.ts'

const LISTS = ['test/probe/lists.test.ts']
const GROWTH = ['test/probe/growth.test.ts']
const RECORDS = ['test/probe/records.test.ts']

export const PROBE: readonly Sabotage[] = [
  {
    name: 'a part of an object within a record replaces the object',
    file: 'src/probe/draft-record.ts',
    line: "const isWhole = how === 'put' || innerFields(objectOf(read.value.fields)).length > 0",
    to: "const isWhole = how === 'put'",
    tests: ['test/probe/writes.test.ts'],
  },
  {
    name: 'writes are drafted without the word of a person',
    file: 'src/probe/draft-record.ts',
    line: "const isWritten = how === 'patch' || how === 'put'",
    to: "const isWritten = how !== 'none'",
    tests: ['test/probe/writes.test.ts'],
  },
  {
    name: 'a paging is written that the connector was not seen to read the list by',
    file: 'src/probe/find-list.ts',
    line: 'return differenceOf(reference, read)',
    to: 'return differenceOf(reference, reference)',
    tests: LISTS,
  },
  {
    name: 'one answer of a list whose end is unknown is taken for the whole list',
    file: 'src/probe/find-list.ts',
    line: 'const [sure, other] = [reading, small].filter((each) => each !== undefined && each.doubt === undefined)',
    to: 'const [sure, other] = [reading, small].filter((each) => each !== undefined)',
    tests: LISTS,
  },
  {
    name: 'a number of records that was not reached is no doubt',
    file: 'src/probe/signs.ts',
    line: 'return number > count || (isOnePage && /total/.test(name) && number < count)',
    to: 'return count < 0',
    tests: LISTS,
  },
  {
    name: 'a parameter that the server does not read leads to the next page',
    file: 'src/probe/read-list.ts',
    line: "return fresh * 2 <= length ? ['stated', 'a page shows records of an earlier one again'] : undefined",
    to: "return fresh > length ? ['stated'] : undefined",
    tests: LISTS,
  },
  {
    name: 'a list without a sign of paging may grow past a usual page, and is cut there',
    file: 'src/probe/paged.ts',
    line: 'return most === undefined ? {} : { most }',
    to: 'return most === -1 ? { most } : {}',
    tests: GROWTH,
  },
  {
    name: 'the probe sends a cursor as the parameters alone that documents of others name',
    file: 'src/probe/read-list.ts',
    line: "const USUAL_CURSORS = [...CURSORS, 'page', 'offset', 'next', 'token', ...LOOSE_CURSORS]",
    to: "const USUAL_CURSORS = [...CURSORS, 'page', 'offset', 'next', 'token', ...LOOSE_CURSORS.slice(99)]",
    tests: ['test/probe/own-design.test.ts'],
  },
  {
    name: 'the probe asks for no page behind the id of the last record by from',
    file: 'src/probe/names.ts',
    line: 'spellings(`starting_after after after_id since_id last_id startingAfter from since lastId afterId',
    to: 'spellings(`starting_after after after_id since_id last_id startingAfter since lastId afterId',
    tests: ['test/probe/own-design.test.ts'],
  },
  {
    name: 'the email of an owner is taken for that of the contact without asking',
    file: 'src/probe/openapi/nested-fields.ts',
    line: 'return { path: best.path, isSure: own.length === 1 }',
    to: 'return { path: best.path, isSure: true }',
    tests: RECORDS,
  },
  {
    name: 'the answer for another record makes a request for one',
    file: 'src/probe/draft-record.ts',
    line: "const isShown = first !== undefined && idOf(typeof at === 'string' ? readFirst(compilePath(at), one) : one) === first",
    to: "const isShown = idOf(typeof at === 'string' ? readFirst(compilePath(at), one) : one) !== undefined",
    tests: RECORDS,
  },
  {
    name: 'the fields of an object within a record take the place of the record in what is written',
    file: 'src/probe/openapi/record-places.ts',
    line: 'const ways = [shared, fit].flatMap((scoreOf) => {',
    to: 'const ways = [fit, shared].flatMap((scoreOf) => {',
    tests: ['test/probe/writes.test.ts'],
  },
  {
    name: 'the wrapper of a record is taken for a part of the path that a person names',
    file: 'src/probe/draft-record.ts',
    line: 'const bare = (path: string) => (outer !== undefined && path.startsWith(outer) ? path.slice(outer.length) : path)',
    to: 'const bare = (path: string) => (outer === undefined ? path : path.slice(0))',
    tests: ['test/probe/writes.test.ts'],
  },
]
