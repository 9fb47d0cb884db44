import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printRecord } from '../../src/output/print-records.ts'
import { parseFields } from '../../src/output/record-output.ts'
import { textWidth } from '../../src/output/terminal-text.ts'
import { runs } from '../harness/sample.ts'
import { fakeIo } from './fake-io.ts'
import { print } from './print-fixture.ts'

function lines(text: string): string[] {
  return text.split('\n').slice(0, -1)
}

test('columns are aligned below upper-case headers, without borders and trailing blanks', async () => {
  const { io } = await print({ format: 'table', columns: ['id', 'name', 'amount'] }, [
    { id: 'd1', name: 'Big', amount: 1000 },
    { id: 'deal_2', name: null, amount: 2.5 },
  ])
  expect(io.out()).toBe(['ID      NAME  AMOUNT', 'd1      Big     1000', 'deal_2           2.5', ''].join('\n'))
})

test('wide, combining and joined characters keep the columns aligned', async () => {
  const names = ['日本', 'e\u0301', '👩‍💻', '🇩🇪', '1️⃣', '❤️', 'ab', '👨‍👩‍👧‍👦 x', '']
  const { io } = await print({ format: 'table', columns: ['name', 'id'] }, [
    ...names.map((name) => ({ name, id: 'x' })),
  ])
  const [, ...rows] = lines(io.out())
  expect(new Set(rows.map(textWidth))).toEqual(new Set([7]))
  expect(rows.map((row) => row.replace(/ +x$/, ''))).toEqual(names)
})

test('unknown members replace known ones that no record has', async () => {
  const { io } = await print({ format: 'table', columns: ['id', 'name', 'email'] }, [
    { id: 1, title: 'Foo' },
    { id: 2, title: 'Bar', name: null, 'x\x1b': { a: 1 } },
  ])
  expect(lines(io.out())).toEqual(['ID  NAME  TITLE  X\\x1b', ' 1        Foo', ' 2        Bar    {"a":1}'])
  expect(io.err()).toBe('')
})

test('unknown members are omitted when records have all known ones', async () => {
  const { io } = await print({ format: 'table' }, [{ id: '1', name: null, other: 2 }])
  expect(lines(io.out())[0]).toBe('ID  NAME')
})

test('on a terminal the unknown members without room are reported', async () => {
  const wide = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`column_${at}`, 'x'.repeat(30)]))
  const { io } = await print({ format: 'table', columns: ['id', 'email'], width: 60 }, [{ id: 1, ...wide }])
  expect(io.err()).toMatch(/^no room for .*COLUMN_8; choose with --fields/)
})

test('cells are made safe, and lists and objects are JSON', async () => {
  const { io } = await print({ format: 'table', columns: ['name', 'tags', 'is'] }, [
    { name: '\x1b[2J\u202eevil\nline', tags: [{ a: '\x9b' }], is: true },
  ])
  expect(lines(io.out())[1]).toBe('\\x1b[2J\\u202eevil\\nline  [{"a":"\\u009b"}]  true')
})

test('a name from a server or a flag is made safe in the header', async () => {
  const { io } = await print({ format: 'table', columns: [], fields: 'a\x1b[31m' }, [{ 'a\x1b[31m': 1 }])
  expect(io.out()).toBe('A\\x1b[31M\n        1\n')
})

test('the header is bold only with color', async () => {
  const { io } = await print({ format: 'table', columns: ['id'], color: true }, [{ id: 'x' }])
  expect(io.out()).toBe('\x1b[1mID\x1b[22m\nx\n')
})

test('the header is printed once, and later pages widen the columns but not the header', async () => {
  const { io } = await print({ format: 'table' }, [{ id: '1', name: 'a' }], [{ id: '1234', name: 'b' }])
  expect(io.out()).toBe('ID  NAME\n1   a\n1234  b\n')
})

test('piped output is never cut, and one long text does not pad the other rows', async () => {
  const long = 'x'.repeat(5000)
  const { io } = await print({ format: 'table', columns: ['name', 'id'] }, [
    { name: long, id: '1' },
    { name: 'a', id: '2' },
  ])
  expect(lines(io.out())[1]).toBe(`${long}  1`)
  expect(lines(io.out())[2]).toHaveLength(103)
})

test('in a terminal the widest columns shrink first, and no line is wider than the terminal', async () => {
  const record = { id: 'con_1', name: 'n'.repeat(60), email: 'e'.repeat(20), note: 'o'.repeat(40) }
  const { io } = await print({ format: 'table', columns: ['id', 'name', 'email', 'note'], width: 70 }, [record])
  expect(lines(io.out())).toEqual([
    `ID     ${'NAME'.padEnd(20)}  ${'EMAIL'.padEnd(20)}  NOTE`,
    `con_1  ${'n'.repeat(19)}…  ${'e'.repeat(20)}  ${'o'.repeat(18)}…`,
  ])
})

test('an id is shown in full if it fits, and columns that do not fit are named on stderr', async () => {
  const record = { id: `con_${'0'.repeat(26)}`, name: 'Ann Smith-Jones', email: 'ann@example.com', phone: '1234567' }
  const { io } = await print({ format: 'table', columns: Object.keys(record), width: 48 }, [record], [record])
  expect(lines(io.out())[1]).toBe(`${record.id}  Ann Sm…  ann@ex…`)
  expect(io.err()).toBe('no room for PHONE; choose with --fields, or see all with -o json\n')
})

const CONTACT = {
  id: 'con_0s9ppq4g000',
  name: 'Grace Hopper',
  email: 'grace.hopper@navy.example.com',
  company: 'US Navy',
  created_at: '2026-11-20T16:19:18.223Z',
  updated_at: '2026-11-20T16:19:18.223Z',
  version: 1,
}

test.each([
  [150, 'ID NAME EMAIL PHONE COMPANY CREATED_AT UPDATED_AT VERSION'],
  [130, 'ID NAME EMAIL COMPANY CREATED_AT UPDATED_AT VERSION'],
  [125, 'ID NAME EMAIL COMPANY CREATED_AT UPDATED_AT'],
  [110, 'ID NAME EMAIL COMPANY CREATED_AT'],
  [80, 'ID NAME EMAIL COMPANY'],
  [60, 'ID NAME EMAIL COMPANY'],
])(
  'at %i columns empty columns are omitted first, then those set by the server, then widths shrink',
  async (width, heads) => {
    const columns = ['id', 'name', 'email', 'phone', 'company', 'created_at', 'updated_at', 'version']
    const { io } = await print({ format: 'table', columns, width }, [CONTACT], [{ ...CONTACT, phone: '1' }])
    const [head = '', row = ''] = lines(io.out())
    expect(head.split(/ +/).join(' ')).toBe(heads)
    expect(row.includes('…')).toBe(width === 60)
    const hidden = columns.map((name) => name.toUpperCase()).filter((name) => !heads.split(' ').includes(name))
    const note = `no room for ${hidden.join(', ')}; choose with --fields, or see all with -o json\n`
    expect(io.err()).toBe(hidden.length === 0 ? '' : note)
  },
)

test('columns named by --fields are never omitted, and csv has all columns', async () => {
  const fields = 'id,phone,created_at,version'
  const { io } = await print({ format: 'table', fields, width: 40 }, [CONTACT])
  expect(lines(io.out())[0]).toMatch(/^ID +PHONE +CREA.* +VERS/)
  const csv = await print({ format: 'csv', columns: ['id', 'phone', 'version'], width: 10 }, [CONTACT])
  expect(csv.io.out()).toMatch(/^id,phone,version,name,email/)
})

test('a terminal that reports no width, or a width of 0, is assumed to have 80 columns', async () => {
  const { io } = await print({ format: 'table', width: 0 }, [{ id: 'x', name: 'n'.repeat(200) }])
  expect(lines(io.out())[1]).toHaveLength(80)
})

const anyText = fc.string({
  unit: fc.constantFrom('a', ' ', '日', '👩‍💻', '🇩🇪', 'é', '\n', '\u202e', '\u0301', '1️⃣', '\uE000', '\u036f', '$&'),
  maxLength: 40,
})
const anyRecord = fc.record({
  id: anyText,
  name: anyText,
  b: fc.oneof(anyText, fc.integer(), fc.constant(null)),
  c: anyText,
})
const anyPages = fc.array(fc.array(anyRecord, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })

test('no line is ever wider than the terminal, and every page has the same columns', async () => {
  await fc.assert(
    fc.asyncProperty(anyPages, fc.integer({ min: 1, max: 90 }), async (given, width) => {
      const { io } = await print({ format: 'table', columns: ['id', 'name', 'b', 'c'], width }, ...given)
      const rows = lines(io.out())
      expect(rows).toHaveLength(1 + given.flat().length)
      for (const row of rows) expect(textWidth(row)).toBeLessThanOrEqual(width)
    }),
    { numRuns: runs(100, 25) },
  )
})

test('a whole table has the text of one that streams: piped, at every width, with numbers and cells of no width', async () => {
  const width = fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 90 }))
  await fc.assert(
    fc.asyncProperty(anyPages, width, fc.boolean(), async (pages, columns, color) => {
      const how = {
        format: 'table',
        columns: ['id', 'name', 'b', 'c'],
        color,
        ...(columns && { width: columns }),
      } as const
      const [streamed, whole] = [await print(how, ...pages), await print({ ...how, isWhole: true }, ...pages)]
      expect(whole.io.out()).toBe(streamed.io.out())
    }),
    { numRuns: runs(200, 25) },
  )
})

test('20,000 rows of a whole table are printed in under a minute', async () => {
  const records = Array.from({ length: 20_000 }, (_, at) => ({ id: `rec_${at}`, name: 'Ann', at }))
  const startMs = performance.now()
  await print({ format: 'table', columns: ['id', 'name', 'at'], isWhole: true }, records)
  expect(performance.now() - startMs).toBeLessThan(5000)
})

test('one record is a table of keys and values, uncut and safe', async () => {
  const io = fakeIo({ columns: 20 })
  const secret = `whsec_${'s'.repeat(60)}`
  const record = { id: 'wh_1', secret, 'a\x1bb': { 名: '日本' }, none: null }
  await printRecord(
    { io, format: 'table', fields: undefined, columns: ['id'], color: true, isCsvSafe: false, query: undefined },
    record,
  )
  expect(lines(io.out())).toEqual([
    '\x1b[1mid\x1b[22m      wh_1',
    `\x1b[1msecret\x1b[22m  ${secret}`,
    '\x1b[1ma\\x1bb\x1b[22m  {"名":"日本"}',
    '\x1b[1mnone\x1b[22m',
  ])
  expect(stripVTControlCharacters(io.out())).not.toContain('\x1b')
})

test.each([
  ['table', 'owner.name  Ann\nnope\n'],
  ['json', '{\n  "owner.name": "Ann",\n  "nope": null\n}\n'],
  ['jsonl', '{"owner.name":"Ann","nope":null}\n'],
  ['id', 'x\n'],
] as const)('one record as %s with fields', async (format, text) => {
  const io = fakeIo()
  const fields = parseFields('owner.name,nope')
  await printRecord(
    { io, format, fields, columns: [], color: false, isCsvSafe: false, query: undefined },
    { id: 'x', owner: { name: 'Ann' } },
  )
  expect(io.out()).toBe(text)
  expect(io.err()).toBe(format === 'id' ? '' : 'no record has the field "nope"\n')
})

test('an empty record is an empty table', async () => {
  const io = fakeIo()
  await printRecord(
    { io, format: 'table', fields: undefined, columns: [], color: false, isCsvSafe: false, query: undefined },
    {},
  )
  expect(io.out()).toBe('')
})
