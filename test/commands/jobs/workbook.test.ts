import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bookOf, textRow } from '../../jobs/workbook/workbook-file.ts'
import { serviceHome } from '../service-home.ts'

const HEAD = textRow(1, ['name', 'email', 'Score', 'Note'])
const row = (at: number, name: string, cells: string) =>
  `<row r="${at}"><c t="inlineStr"><is><t>${name}</t></is></c><c t="inlineStr"><is><t>${name}@x.test</t></is></c>${cells}</row>`

const LEADS = bookOf({
  rows: `${HEAD}${row(2, 'ada', '<c><v>5</v></c>')}${row(3, 'bob', '<c><v>7.5</v></c><c t="e"><v>#REF!</v></c>')}`,
})

test('a workbook is a job: its bad rows become csv, and the corrected ones are numbers as in the sheet', async () => {
  const { crm: run, json, file } = await serviceHome()
  const [book, bad] = [file('leads.xlsx', ''), file('bad.csv', '').replace('bad.csv', 'rejected.csv')]
  writeFileSync(book, LEADS)
  const refused = await run('contacts', 'import', book, '--match', 'email')
  expect(refused.exit).toBe(2)
  expect(refused.stderr).toContain(`${book}, Leads!D3: "#REF!": an error of a formula, expected a value`)
  const found = await run('contacts', 'import', book, '--match', 'email', '-o', 'json')
  expect(JSON.parse(found.stderr.split('\n')[1] ?? '')).toMatchObject({
    finding: { line: 3, cell: 'Leads!D3', code: 'cell_error', column: 'Note', value: '#REF!' },
  })
  const { exit, stderr, stdout } = await run(
    'contacts',
    'import',
    book,
    '--match',
    'email',
    '--rejects',
    bad,
    '-o',
    'json',
  )
  expect(exit, stderr).toBe(3)
  expect(stderr).toContain('leads.xlsx: xlsx, sheet "Leads"')
  expect(readFileSync(bad, 'utf8')).toMatch(
    /^\ufeff_crm_line,.*,name,email,Score,Note\n3,cell_error,Note,.*,bob,bob@x.test,7.5,#REF!\n/,
  )
  const uncorrected = await run('jobs', 'retry', JSON.parse(stdout).job, '--from', bad, '--yes')
  expect(uncorrected).toMatchObject({ exit: 2, stderr: expect.stringContaining('"#REF!": the error of a formula') })
  writeFileSync(bad, readFileSync(bad, 'utf8').replace('#REF!\n', 'fixed\n'))
  expect(await json('jobs', 'retry', JSON.parse(stdout).job, '--from', bad, '--yes')).toMatchObject({ done: 1 })
  expect(await json('contacts', 'list', '--sort', 'name')).toMatchObject([
    { name: 'ada', Score: 5 },
    { name: 'bob', Score: 7.5, Note: 'fixed' },
  ])
})

test('a workbook under another name is known by its first bytes, and flags of texts and of workbooks are told apart', async () => {
  const { crm: run, json, file } = await serviceHome()
  const book = file('leads.dat', '')
  writeFileSync(book, bookOf({ rows: `${HEAD}${row(2, 'ada', '<c><v>5</v></c>')}` }))
  expect(await json('contacts', 'import', book, '--sheet', '1')).toMatchObject({ done: 1 })
  expect((await run('contacts', 'import', book, '--delimiter', ';')).stderr).toContain('--delimiter applies to text')
  const text = file('a.csv', 'name\nAda\n')
  expect((await run('contacts', 'import', text, '--sheet', 'A')).stderr).toContain('--sheet applies to a workbook')
  writeFileSync(book, '\xd0\xcf\x11\xe0', 'latin1')
  expect(await run('contacts', 'import', book)).toMatchObject({ exit: 2, stderr: expect.stringContaining('(xls)') })
})

test('the error texts of Excel are errors in csv too, unless the column is text or they clear the field', async () => {
  const { crm: run, json, file } = await serviceHome()
  const errors = ['#N/A', '#REF!', '#VALUE!', '#DIV/0!', '#NAME?', '#NUM!', '#NULL!', '#SPILL!', '#CALC!']
  const csv = file('a.csv', `name,Note\nAda,#1\n${errors.map((text) => `Bob,${text}\n`).join('')}`)
  const refused = await run('contacts', 'import', csv)
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('9 errors in ') })
  expect(refused.stderr).toContain('9 × cell error in "Note"')
  expect(refused.stderr).toContain('line 3: "#N/A": the error of a formula, expected a value; --map')
  const one = file('b.csv', 'name,Note,Fax\nAda, #N/A ,#REF!\n')
  expect(await run('contacts', 'import', one, '--map', 'Fax=')).toMatchObject({ exit: 2 })
  expect(await json('contacts', 'import', one, '--map', 'Fax=,Note=Note:text')).toMatchObject({ done: 1 })
  const empty = file('c.csv', 'name,Note\nBob,#N/A\n')
  expect(await json('contacts', 'import', empty, '--null', '#N/A')).toMatchObject({ done: 1 })
  expect(await json('contacts', 'list', '--sort', 'name', '--fields', 'Note')).toEqual([
    { Note: ' #N/A ' },
    { Note: null },
  ])
})

test('numbers of a workbook, and those of records that a text would replace, name the --map that keeps texts', async () => {
  const { crm: run, json, file } = await serviceHome()
  const book = file('leads.xlsx', '')
  writeFileSync(book, bookOf({ rows: `${HEAD}${row(2, 'ada', '<c><v>810</v></c>')}` }))
  const { stderr } = await run('contacts', 'import', book)
  expect(stderr).toContain('\nNumbers: Score; --map Score=Score:text keeps their digits as a text\n')
  const text = file('more.csv', 'email,Score\nada@x.test,00810\n')
  const words = ['contacts', 'import', text, '--match', 'email', '--yes']
  const refused = await run(...words)
  expect(refused.exit).toBe(2)
  expect(refused.stderr).toContain(
    '"00810": the record has a number, 810: --map Score=Score:number writes a number, --map Score=Score:text a text',
  )
  expect(await json(...words, '--map', 'Score=Score:text')).toMatchObject({ done: 1 })
  expect(await json('contacts', 'list')).toMatchObject([{ Score: '00810' }])
})
