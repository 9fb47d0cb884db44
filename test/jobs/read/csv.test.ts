import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import spectrum from 'csv-spectrum'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../harness/sample.ts'
import { print } from '../../output/print-fixture.ts'
import { allRows, fieldsOf, read } from '../reading.ts'

const cases = await promisify(spectrum)()

/** A cell that is empty leaves its field alone. */
function withoutEmpty(record: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ''))
}

/** In csv-spectrum 2.0.0 the JSON of this case names another number than its CSV. */
const MENDED: Readonly<Record<string, object>> = { location_coordinates: { 'Contact Phone Number': '2095257564' } }

test.each(cases.map((each) => [each.name, each] as const))('csv-spectrum: %s', async (name, { csv, json }) => {
  const expected: Readonly<Record<string, string>>[] = [JSON.parse(json.toString())].flat()
  const map = Object.keys(expected[0] ?? {}).map((column) => `"${column}"=${column}`)
  expect(await fieldsOf({ bytes: csv, map })).toEqual(
    expected.map((record) => withoutEmpty({ ...record, ...MENDED[name] })),
  )
})

test('csv-spectrum has all of its cases', () => {
  expect(cases.length).toBeGreaterThanOrEqual(12)
})

describe('values that a spreadsheet would change stay unchanged', () => {
  test.each([
    '0151',
    '00049',
    '1E+11',
    '+49 151',
    '=1+1',
    '-5',
    ' both ends ',
    '2026-01-01',
    'TRUE',
    '12345678901234567890',
  ])('%s', async (phone) => {
    expect(await fieldsOf({ bytes: `phone\n${phone}\n` })).toEqual([{ phone }])
  })
})

test('a cell of a megabyte is read whole, with quotes and line ends inside', async () => {
  const name = '"a",\r\n'.repeat(1_000_000 / 6)
  expect(await fieldsOf({ bytes: `name,email\n"${name.replaceAll('"', '""')}",a@x\n` })).toEqual([
    { name, email: 'a@x' },
  ])
})

test('lines end in LF or CRLF, the last one needs no line end, and blank lines are not records', async () => {
  const { rows } = await read({ bytes: 'name,email\r\na,1\nb,2\r\n\n,\r\n\r\nc,3' })
  expect(rows.map(({ line, fields }) => [line, fields.name])).toEqual([
    [2, 'a'],
    [3, 'b'],
    [7, 'c'],
  ])
})

test('lines may end in CR alone', async () => {
  expect(await fieldsOf({ bytes: 'name,email\ra,1\rb,2\r' })).toEqual([
    { name: 'a', email: '1' },
    { name: 'b', email: '2' },
  ])
})

test('line numbers count the line ends inside earlier cells', async () => {
  const { rows } = await read({ bytes: 'name,email\r\n"a\r\n\nb",1\r\nc,2\r\n' })
  expect(rows.map(({ line }) => line)).toEqual([2, 5])
})

test('the output of csv is read back, and offset and length locate each record in the bytes', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', ',', '\n', '\r', '\0', ' ', "'", ';') })
  const records = fc.array(fc.record({ name: cell, email: cell }), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(records, async (given) => {
      const { io } = await print({ format: 'csv', columns: ['name', 'email'] }, given)
      const { rows, path } = await read({ bytes: io.out() })
      const expected = given.map(withoutEmpty).filter((fields) => Object.keys(fields).length > 0)
      expect(rows.map(({ fields }) => fields)).toEqual(expected)
      const bytes = await readFile(path)
      for (const { offset, length, fields } of rows) {
        const again = await fieldsOf({
          bytes: Buffer.concat([Buffer.from('name,email\n'), bytes.subarray(offset, offset + length)]),
        })
        expect(again).toEqual([fields])
      }
    }),
    { numRuns: runs(15, 5) },
  )
})

test('the cells are those that were written, for any quoting, delimiter and line end', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', ';', '|', '\t', '\n', '\r', ' ', "'") })
  const row = fc.tuple(text, text, fc.boolean(), fc.boolean())
  const given = {
    rows: fc.array(row, { maxLength: 6 }),
    delimiter: fc.constantFrom(',', ';', '|', '\t'),
    lineEnd: fc.constantFrom('\n', '\r\n'),
  }
  await fc.assert(
    fc.asyncProperty(fc.record(given), async ({ rows, delimiter, lineEnd }) => {
      const cell = (value: string, isQuoted: boolean) =>
        isQuoted || /[",;|\t\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
      const lines = rows.map(([one, other, ...isQuoted]) =>
        [cell(one, isQuoted[0]), cell(other, isQuoted[1])].join(delimiter),
      )
      const bytes = ['name', 'email'].join(delimiter) + lineEnd + lines.map((line) => line + lineEnd).join('')
      const expected = rows
        .map(([name, email]) => withoutEmpty({ name, email }))
        .filter((fields) => Object.keys(fields).length > 0)
      expect(await fieldsOf({ bytes, delimiter })).toEqual(expected)
    }),
    { numRuns: runs(80, 20) },
  )
})

test('records that span the chunks in which a file is read are complete', async () => {
  const names = Array.from({ length: 20_000 }, (_, at) => (at % 3 === 0 ? `"é${at}\n"",x"` : `ü${at}`))
  const { rows } = await read({ bytes: `name,email\r\n${names.map((name) => `${name},a@x\r\n`).join('')}` })
  expect(rows.map(({ fields }) => fields.name)).toEqual(
    names.map((name) => (name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name)),
  )
})

describe('a syntax error is refused with its line and column', () => {
  test.each([
    [
      'a quote that is never closed',
      'name,email\nä,b\n"c\nd","e""\nf,g\n',
      'line 4, column 4: a quote that opens here is never closed',
    ],
    ['a quote after blanks', 'name,email\nA, "b"\n', 'line 2, column 4: a quote after blanks'],
    [
      'text behind a closing quote',
      'name,email\n"A"x,b\n',
      'line 2, column 4: text after the closing quote of a cell, expected',
    ],
    ['a NUL outside quotes', 'name,email\nA,b\nA\0,b\n', 'line 3, column 2: a NUL outside quotes'],
    ['the end-of-file mark of DOS', 'name,email\nA,b\x1a', 'line 2: the end-of-file mark of DOS (0x1A)'],
    ['the end-of-file mark of DOS, alone', 'name\nA\r\n\x1a', 'line 3: the end-of-file mark of DOS (0x1A)'],
    ['the end-of-file mark after a quote', 'name\n"A"\x1a', 'line 2, column 4: text after the closing quote'],
    ['a NUL beside quotes', 'name,email\n"A",b\0\n', 'line 2, column 6: a NUL outside quotes'],
    ['a lone carriage return', 'name,email\nA\rB,c\n', 'line 2, column 2: a carriage return in a cell without quotes'],
    ['a duplicate column', 'name,email,name\nA,b,c\n', 'line 1: duplicate column "name": #1 and #3'],
    ['two columns for one field', 'name,E-Mail,email\nA,b,c\n', 'line 1: two columns for "email"'],
    ['an empty input', '', 'line 1: the input is empty, expected a header row'],
    ['no header row', 'Ada,ada@x.test\n', 'none of the columns "Ada", "ada@x.test" is a field of a contact'],
  ])('%s', async (_, bytes, message) => {
    await expect(read({ bytes })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(message),
    })
  })

  test('a record without an end', async () => {
    const bytes = `name,email\nA,b\n"${'x'.repeat(3_000_000)}`
    await expect(read({ bytes })).rejects.toThrow('people.csv, line 3: the record that starts here is longer than')
  })
})

test('every row with more or fewer cells than the header row is a finding, and not a row', async () => {
  const { rows, findings } = await read({ bytes: 'name,email\nA\nB,b\nC,c,c\n' })
  expect(rows.map(({ fields }) => fields.name)).toEqual(['B'])
  expect(findings).toEqual([
    {
      line: 2,
      offset: 11,
      column: undefined,
      value: 'A',
      code: 'ragged_row',
      message: 'it has 1 cell, and the header row has 2',
    },
    {
      line: 4,
      offset: 17,
      column: undefined,
      value: 'c',
      code: 'ragged_row',
      message: 'it has 3 cells, and the header row has 2',
    },
  ])
})

test.each([
  ['sep=;\r\nname;email\r\nA, B;x\r\n', undefined],
  ['SEP=^\nname^email\nA, B^x\n', undefined],
  ['sep=,\nname;email\nA, B;x\n', ';'],
])('the mark of Excel, %j, is no header row', async (bytes, delimiter) => {
  const { rows, path } = await read({ bytes, delimiter })
  const [{ line, offset, length, fields } = {}] = rows
  expect([line, fields]).toEqual([3, { name: 'A, B', email: 'x' }])
  expect((await readFile(path)).subarray(offset, (offset ?? 0) + (length ?? 0)).toString()).toMatch(/^A, B.x$/)
  await expect(read({ bytes: bytes.replace('A, B', '"A"B'), delimiter })).rejects.toThrow(
    'line 3, column 4: text after',
  )
})

test('a column without a name must be empty', async () => {
  const { rows, findings } = await read({ bytes: 'name,\nA,\nB,x\n' })
  expect(rows.map(({ fields }) => fields)).toEqual([{ name: 'A' }])
  expect(findings).toMatchObject([{ line: 3, code: 'unnamed_column', value: 'x' }])
})

test('a tab before a quoted cell is a delimiter, not a blank', async () => {
  expect(await fieldsOf({ bytes: 'name\temail\n\t"a"\n' })).toEqual([{ email: 'a' }])
})

test('quotes are text with --quote none', async () => {
  expect(await fieldsOf({ bytes: 'name,email\n5" pipe,"x"\n', quote: 'none' })).toEqual([
    { name: '5" pipe', email: '"x"' },
  ])
})

test('tsv reads back the output of tsv, and an invalid escape is a finding', async () => {
  const name = 'a\tb\nc\rd\\e\0f"g'
  const { io } = await print({ format: 'tsv' }, [{ id: '1', name }])
  expect((await read({ bytes: io.out(), name: 'people.tsv' })).rows).toMatchObject([{ id: '1', fields: { name } }])
  const { findings } = await read({ bytes: 'name\temail\nC:\\dir\tx\n', name: 'people.tsv' })
  expect(findings).toMatchObject([{ line: 2, column: 'name', code: 'bad_escape' }])
})

test('--from-csv-safe removes the apostrophes of --csv-safe from cells and headers', async () => {
  const { io } = await print({ format: 'csv', columns: ['name', '=x'], isCsvSafe: true }, [
    { name: '=1+1', '=x': "'-2" },
  ])
  expect(await fieldsOf({ bytes: io.out(), isCsvSafe: true })).toEqual([{ name: '=1+1', '=x': "'-2" }])
})

test('an apostrophe before a formula is asked about, since --csv-safe writes it, and kept in a column of texts', async () => {
  const bytes = "name,phone,note\nA,'+49 30 1,'tis\nB,+49 30 2,''=x\n"
  const { rows, findings } = await read({ bytes })
  expect(rows).toEqual([])
  expect(findings).toMatchObject([
    { line: 2, column: 'phone', code: 'csv_safe', message: expect.stringContaining('--from-csv-safe takes it off') },
    { line: 3, column: 'note', code: 'csv_safe' },
  ])
  expect(await fieldsOf({ bytes, map: ['phone=phone:text,note=note:text'] })).toMatchObject([
    { phone: "'+49 30 1", note: "'tis" },
    { phone: '+49 30 2', note: "''=x" },
  ])
  expect(await fieldsOf({ bytes, isCsvSafe: true })).toMatchObject([
    { phone: '+49 30 1', note: "'tis" },
    { note: "'=x" },
  ])
})

test('an apostrophe before digits is asked about, also in a file of --csv-safe, and kept in a column of texts', async () => {
  const bytes = "name,phone,note\nA,'0049,'90s\nB,'030 (1) 2-3/4.5,\n"
  for (const isCsvSafe of [false, true]) {
    const { findings } = await read({ bytes, isCsvSafe })
    expect(findings).toMatchObject([
      { line: 2, column: 'phone', code: 'csv_safe', message: expect.stringContaining('remove it') },
      { line: 3, column: 'phone', code: 'csv_safe' },
    ])
  }
  expect(await fieldsOf({ bytes, map: ['phone=phone:text'] })).toMatchObject([
    { phone: "'0049", note: "'90s" },
    { phone: "'030 (1) 2-3/4.5" },
  ])
})

test('every pass starts at the beginning, and counts its findings from zero', async () => {
  const { source } = await read({ bytes: 'name,email\nA\nB,b\n' })
  expect(await allRows(source)).toHaveLength(1)
  expect(source.findings.count).toBe(1)
})

test.each([{ delimiter: '::' }, { delimiter: '\n' }, { delimiter: '§' }, { delimiter: '"' }, { quote: '' }])(
  '$delimiter$quote is no delimiter, or no quote',
  async (flags) => {
    await expect(read({ bytes: 'name\nA\n', ...flags })).rejects.toMatchObject({ code: 'usage' })
  },
)

test('a heading that differs from a member of the server in its case is refused, with the map that joins them', async () => {
  const server = {
    names: ['name', 'zip', 'lastSeen'],
    isNested: () => false,
    isReadOnly: (name: string) => name === 'lastSeen',
  }
  const bytes = 'name,Zip,LastSeen\nAda,1,2\n'
  await expect(fieldsOf({ bytes, server })).rejects.toMatchObject({
    message: expect.stringContaining('unknown column "Zip"; did you mean "zip"?'),
    details: { hint: expect.stringContaining('--map Zip=zip') },
  })
  expect(await fieldsOf({ bytes, server, map: ['Zip=zip'] })).toEqual([{ name: 'Ada', zip: '1', LastSeen: '2' }])
})
