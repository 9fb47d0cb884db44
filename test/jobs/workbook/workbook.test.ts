import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RowOptions } from '../../../src/jobs/input/row.ts'
import { readWorkbook } from '../../../src/jobs/input/workbook/read-workbook.ts'
import { tempFolder } from '../../harness/home.ts'
import { type Reading, read } from '../reading.ts'
import { archiveOf, bookOf, textRow } from './workbook-file.ts'

type Flags = Partial<Pick<RowOptions, 'map' | 'decimal' | 'sheet'>>

async function readBook(workbook: Buffer, flags: Flags = {}): Promise<Reading & { readonly notes: readonly string[] }> {
  const [path, to] = [join(tempFolder(), 'book'), join(tempFolder(), 'text')]
  writeFileSync(path, workbook)
  const { map = [], decimal, sheet } = flags
  const signal = new AbortController().signal
  const readSheet = await readWorkbook({
    path,
    to,
    name: 'leads.xlsx',
    sheet,
    read: { map, decimal },
    signal,
    onBytes() {},
  })
  return {
    ...(await read({ bytes: readFileSync(to), name: 'leads.xlsx', readSheet, ...flags })),
    notes: readSheet.notes,
  }
}

const fieldsIn = async (workbook: Buffer, flags?: Flags) =>
  (await readBook(workbook, flags)).rows.map(({ fields }) => fields)

const FILES = join(import.meta.dirname, 'files')
const ADA = { name: 'Ada', email: 'ada@x.test', Since: '2024-02-29', VIP: true }

const OPENPYXL = [
  { ...ADA, Score: 5, 'Met at': '2024-01-01T10:30:00', Note: 'a\nb, "c"' },
  { name: 'Bob', email: 'bob@x.test', Score: 0.1, Since: '1900-03-01', VIP: false, 'Met at': '09:15:00' },
  {
    name: 'Eve',
    email: 'eve@x.test',
    Score: -12,
    Since: '1999-12-31',
    VIP: false,
    'Met at': '26:30:00',
    Note: 'Grüße <&> 你好',
  },
]
const XLSXWRITER = [
  { name: 'Ada Lovelace', email: 'ada@x.test', Score: 1000000000000000, Since: '2024-02-29', Sum: 2000000000000000 },
]

const plain = (fields: readonly object[]) => JSON.parse(JSON.stringify(fields))

describe('workbooks of other programs', () => {
  test('texts, numbers, booleans, dates and times of openpyxl have their types, and other sheets are named', async () => {
    const { rows, source, notes } = await readBook(readFileSync(join(FILES, 'openpyxl.xlsx')))
    expect(plain(rows.map(({ fields }) => fields))).toEqual(OPENPYXL)
    expect(rows.map(({ line }) => line)).toEqual([2, 3, 5])
    expect(source.blanks.lines).toEqual([4])
    expect(notes).toEqual(['Other sheets: "Other"; --sheet reads one of them', 'Hidden sheets: "Secret"'])
  })

  test('xlsxwriter: days from 1904, rich texts, values of formulas, and an error of a formula with its cell', async () => {
    const { rows, findings } = await readBook(readFileSync(join(FILES, 'xlsxwriter-1904.xlsx')))
    expect(plain(rows.map(({ fields }) => fields))).toEqual(XLSXWRITER)
    expect(findings).toMatchObject([{ cell: 'Leads!E3', code: 'cell_error', value: '#N/A', column: 'Sum' }])
  })

  test('a workbook of LibreOffice Calc', async () => {
    expect(plain(await fieldsIn(readFileSync(join(FILES, 'libreoffice.xlsx'))))).toEqual([
      { ...ADA, Score: 1234.5 },
      { name: 'Bob "B"', email: 'bob@x.test', Score: -0.25, Since: '1999-12-31', VIP: false },
    ])
  })

  const hasPython = spawnSync('/usr/bin/python3', ['-c', 'import openpyxl, xlsxwriter']).status === 0
  test.skipIf(!hasPython)(
    'the packages of Debian write the same (skipped without python3-openpyxl and python3-xlsxwriter)',
    async () => {
      const folder = tempFolder()
      execFileSync('/usr/bin/python3', [join(FILES, 'make-files.py'), folder])
      expect(plain(await fieldsIn(readFileSync(join(folder, 'openpyxl.xlsx'))))).toEqual(OPENPYXL)
      expect(plain(await fieldsIn(readFileSync(join(folder, 'xlsxwriter-1904.xlsx'))))).toEqual(XLSXWRITER)
    },
  )
})

const HEAD = textRow(1, ['name', 'Score'])
const scores = (...cells: readonly string[]) =>
  bookOf({
    rows: HEAD + cells.map((cell, at) => `<row><c t="inlineStr"><is><t>P${at}</t></is></c>${cell}</row>`).join(''),
  })

describe('cells', () => {
  test('a number has the digits of its cell, without an exponent', async () => {
    const written = ['0.30000000000000004', '491701234567', '4.9E+3', '1.5E-3', '.5', '+7', '12345678901234567890']
    const rows = await fieldsIn(scores(...written.map((value) => `<c><v>${value}</v></c>`)), {
      map: ['Score=Score:text'],
    })
    const texts = rows.map(({ Score }) => Score)
    expect(texts).toEqual(['0.30000000000000004', '491701234567', '4900', '0.0015', '0.5', '7', '12345678901234567890'])
  })

  test('a column of numbers and texts is text, and so is a field of crm that is text', async () => {
    expect(await fieldsIn(scores('<c><v>5</v></c>', '<c t="str"><v>n/a</v></c>'))).toMatchObject([
      { Score: '5' },
      { Score: 'n/a' },
    ])
    expect(await fieldsIn(scores('<c><v>491701234567</v></c>'), { map: ['Score=phone'] })).toMatchObject([
      { phone: '491701234567' },
    ])
  })

  test('numbers of cells are read beside texts with a decimal comma', async () => {
    const cells = ['<c><v>1.234</v></c>', '<c t="str"><v>1.234,50 EUR</v></c>']
    const rows = await fieldsIn(scores(...cells), { map: ['Score=sum:number(1.234,50 EUR)'] })
    expect(plain(rows)).toMatchObject([{ sum: 1.234 }, { sum: 1234.5 }])
    const typed = await fieldsIn(scores('<c><v>1.234</v></c>'), { map: ['Score=sum:number'], decimal: 'comma' })
    expect(plain(typed)).toMatchObject([{ sum: 1.234 }])
  })

  test('formats make dates: built-in ones, those with texts and colours, and elapsed hours', async () => {
    const formats = ['yyyy\\-mm\\-dd', '[Red]#,##0.00 "days"', '[h]:mm', '[$-407]d. mmmm yyyy;@', 'mmm', '"d"0']
    const styles = `<numFmts>${formats.map((code, at) => `<numFmt numFmtId="${170 + at}" formatCode="${code.replaceAll('"', '&quot;')}"/>`)}</numFmts><cellXfs>${[14, 22, 170, 171, 172, 173, 174, 175].map((id) => `<xf numFmtId="${id}"/>`)}</cellXfs>`
    const cells = Array.from({ length: 8 }, (_, at) => `<c s="${at}"><v>45351.4375</v></c>`)
    const rows = `${HEAD}${cells.map((cell) => `<row><c t="inlineStr"><is><t>P</t></is></c>${cell}</row>`).join('')}`
    const given = await fieldsIn(bookOf({ rows, styles }))
    const day = '2024-02-29T10:30:00'
    expect(given.map(({ Score }) => Score)).toEqual([
      day,
      day,
      day,
      '45351.4375',
      '1088434:30:00',
      day,
      day,
      '45351.4375',
    ])
  })

  test('the leap day of 1900 that Excel has, a formula without its value and an unknown number are refused with their cells', async () => {
    const styles = '<cellXfs><xf numFmtId="14"/></cellXfs>'
    const cells = [
      '<c s="0"><v>60</v></c>',
      '<c s="0"><v>59</v></c>',
      '<c s="1"><f>A1</f></c>',
      '<c s="1"><v>NaN</v></c>',
    ]
    const rows = `${HEAD}${cells.map((cell) => `<row><c t="inlineStr"><is><t>P</t></is></c>${cell}</row>`).join('')}`
    const { rows: read, findings } = await readBook(bookOf({ rows, styles }))
    expect(read.map(({ fields }) => fields.Score)).toEqual(['1900-02-28'])
    const found = findings.map(({ cell, code, value }) => [cell, code, value]).sort()
    expect(found).toEqual([
      ['Leads!B2', 'not_a_date', '60'],
      ['Leads!B4', 'formula_without_value', '=A1'],
      ['Leads!B5', 'not_a_number', 'NaN'],
    ])
  })

  test('shared texts keep blanks and escaped characters, and leave out phonetic runs', async () => {
    const shared =
      '<si><t xml:space="preserve"> a_x000A_b &amp;#65; </t></si><si><r><t>東</t></r><r><t>京</t></r><rPh sb="0" eb="1"><t>トウ</t></rPh></si>'
    const rows = `${HEAD}<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>`
    expect(await fieldsIn(bookOf({ rows, shared }))).toEqual([{ name: ' a\nb &#65; ', Score: '東京' }])
  })

  test('a cell beyond the headings is named', async () => {
    const { findings } = await readBook(bookOf({ rows: HEAD + textRow(7, ['Ada', '1', 'call back']) }))
    expect(findings).toMatchObject([{ cell: 'Leads!C7', code: 'ragged_row', value: 'call back' }])
  })
})

/** The message of the error that reading a workbook ends with. */
async function refusal(workbook: Buffer, flags?: Flags): Promise<string> {
  const error = await readBook(workbook, flags).then(
    () => undefined,
    (cause: unknown) => cause,
  )
  expect(error).toMatchObject({ name: 'CrmError', details: { hint: expect.any(String) } })
  return (error as Error).message
}

const sheetOf = (data: string | Buffer, size?: number) =>
  bookOf({ rows: '', files: [{ name: 'xl/worksheets/sheet1.xml', data, ...(size !== undefined && { size }) }] })

describe('workbooks that are refused', () => {
  test('merged headings, unknown sheets, and sheets without headings', async () => {
    const after = '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>'
    expect(await refusal(bookOf({ rows: HEAD, after }))).toContain(
      'leads.xlsx, Leads!A1:B1: the cells of a heading are merged',
    )
    expect(await refusal(bookOf({ rows: HEAD }), { sheet: 'Q3' })).toBe('--sheet "Q3": leads.xlsx has no such sheet')
    expect(await refusal(bookOf({ rows: '' }))).toBe(
      'leads.xlsx: the sheet "Leads" is empty, expected a row of headings',
    )
    expect(await refusal(bookOf({ rows: textRow(3, ['Nmae']) }))).toContain(
      'leads.xlsx, Leads!3:3: unknown column "Nmae"',
    )
  })

  test('a merge below the headings is reported, and its first cell counts', async () => {
    const after = '<mergeCells><mergeCell ref="B2:B3"/></mergeCells>'
    const { notes } = await readBook(bookOf({ rows: HEAD + textRow(2, ['Ada', 'x']) + textRow(3, ['Bob']), after }))
    expect(notes).toEqual(['1 merged range has a value in the first cell alone: B2:B3'])
  })

  test('entities, document types and damaged XML', async () => {
    const entity = '<!DOCTYPE a [<!ENTITY x "y">]><worksheet>&x;</worksheet>'
    expect(await refusal(sheetOf(entity))).toContain('a document type, which OOXML does not have')
    expect(await refusal(sheetOf('<worksheet>&x;</worksheet>'))).toContain('the entity &x;')
    expect(await refusal(sheetOf('<worksheet><sheetData>'))).toContain('it ends in the middle')
    expect(await refusal(sheetOf('<worksheet></sheetData>'))).toContain('</sheetData> without its beginning')
    expect(await refusal(sheetOf('<a>'.repeat(1000)))).toContain('elements nested deeper than 64')
    expect(await refusal(sheetOf(`<worksheet><v>${'x'.repeat(2_000_000)}`))).toContain('longer than 524288 characters')
    expect(await refusal(sheetOf(Buffer.from('\ufeff<worksheet/>', 'utf16le')))).toContain('its encoding is not UTF-8')
  })

  test('cells out of order or beyond the last column, and shared texts that are not there', async () => {
    const row = (cells: string, at = 2) => bookOf({ rows: `${HEAD}<row r="${at}">${cells}</row>` })
    expect(await refusal(row('<c r="B2"><v>1</v></c><c r="A2"><v>1</v></c>'))).toContain(
      'Leads!B2: the cell A2 follows',
    )
    expect(await refusal(row('<c r="XFE2"><v>1</v></c>'))).toContain('the cell XFE2 follows')
    expect(await refusal(row('', 1))).toContain('the row 1 follows')
    expect(await refusal(row('<c t="s"><v>9</v></c>'))).toContain('there is no shared text 9')
  })

  test('a bomb, a false size, missing and repeated files, a name above the root, and archives that are no workbooks', async () => {
    const bomb = sheetOf(`<worksheet>${`<x>${' '.repeat(20_000)}</x>`.repeat(3400)}</worksheet>`)
    expect(await refusal(bomb)).toContain('expands to more than 250 times its size')
    expect(await refusal(sheetOf('<worksheet/>', 5))).toContain('the archive is damaged')
    expect(await refusal(archiveOf([{ name: 'a.txt', data: 'x' }]))).toContain('an archive that is no workbook')
    const flipped = bookOf({ rows: HEAD })
    const at = flipped.indexOf('xl/_rels/workbook.xml.rels') + 60
    flipped[at] = (flipped[at] ?? 0) ^ 1
    expect(await refusal(flipped)).toContain('the archive is damaged')
    const ods = [
      { name: 'mimetype', data: 'application/vnd.oasis.opendocument.spreadsheet' },
      { name: 'content.xml', data: '<a/>' },
    ]
    expect(await refusal(archiveOf(ods))).toContain('an OpenDocument spreadsheet (ods), which crm does not read')
    const missing = archiveOf([{ name: '[Content_Types].xml', data: '<Types/>' }])
    expect(await refusal(missing)).toContain('the file _rels/.rels of the workbook is missing')
    const twice = archiveOf([
      { name: 'a.xml', data: '<a/>' },
      { name: 'A.xml', data: '<a/>' },
    ])
    expect(await refusal(twice)).toContain('it has the file "A.xml" twice')
    expect(await refusal(archiveOf([{ name: '../../x', data: 'x' }]))).toContain(
      'the archive is damaged: invalid relative path',
    )
    expect(await refusal(bookOf({ rows: HEAD }).subarray(0, 400))).toContain('the archive is damaged')
  })
})
