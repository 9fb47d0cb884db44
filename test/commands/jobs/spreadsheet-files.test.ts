import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { serviceHome } from '../service-home.ts'

const MATCH = ['--match', 'email', '--yes'] as const

/** What a spreadsheet program saves: every row as wide as the widest, in UTF-8 with a byte order mark. */
function savedBySpreadsheet(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(({ length }) => length))
  const cell = (text = '') => (/[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  const lines = rows.map((row) => Array.from({ length: width }, (_, at) => cell(row[at])).join(';'))
  return `\ufeff${lines.map((line) => `${line}\r\n`).join('')}`
}

const RAGGED = [
  'name;email;phone;company;city',
  'Anna Kurz;anna@kurz.example',
  'Bert;bert@ok.example;030123456;ACME;Berlin',
  'Carl;carl@lang.example;030123457;Müller; Söhne;Bonn',
  'Dora;dora@x.example;;X AG;Kiel',
  '',
].join('\r\n')

test('ragged rows are corrected in a spreadsheet, and sent from what it saves', async () => {
  const { json, crm, file } = await serviceHome()
  const rejects = file('bad.csv', '')
  const first = await crm('contacts', 'import', file('ragged.csv', RAGGED), ...MATCH, '--rejects', `${rejects}.new.csv`)
  expect(first.exit, first.stderr).toBe(3)
  const [, job = ''] = /crm jobs retry (\S+) --from/.exec(first.stderr) ?? []
  const cells = readFileSync(`${rejects}.new.csv`, 'utf8').trimEnd().split('\r\n')
  expect(cells.map((line) => line.split(';').slice(4).join('|'))).toEqual([
    'name|email|phone|company|city',
    'Anna Kurz|anna@kurz.example|||',
    'Carl|carl@lang.example|030123457|Müller| Söhne|Bonn',
  ])
  const [head = [], anna = [], carl = []] = cells.map((line) => line.replaceAll(/"(?:[^"]|"")*"/g, 'why').split(';'))
  const untouched = savedBySpreadsheet([head, anna, carl])
  const wide = await crm('jobs', 'retry', job, '--from', file('untouched.csv', untouched), '--yes')
  expect(wide).toMatchObject({ exit: 2, stderr: expect.stringContaining('1 × unnamed column') })
  const fixed = [...carl.slice(0, 7), 'Müller; Söhne', 'Bonn', '']
  const saved = file('fixed.csv', savedBySpreadsheet([head, anna, fixed]))
  const again = await crm('jobs', 'retry', job, '--from', saved, '--yes')
  expect(again.exit, again.stderr).toBe(0)
  const contacts: { name: string; company?: string; city?: string }[] = await json('contacts', 'list')
  expect(contacts.map(({ name, company, city }) => [name, company, city])).toEqual(
    expect.arrayContaining([
      ['Anna Kurz', undefined, undefined],
      ['Carl', 'Müller; Söhne', 'Bonn'],
    ]),
  )
  expect(contacts).toHaveLength(4)
})

test.each([
  ['an empty cell too many', 'Ann;ann@x.test;', ['Ann', 'ann@x.test', '']],
  ['two of them', 'Ann;ann@x.test;;', ['Ann', 'ann@x.test', '', '']],
  ['one cell', 'ann@x.test', ['ann@x.test', '']],
  ['a quoted delimiter beside an open one', '"Ann; Jr";ann@x.test;x', ['"Ann; Jr"', 'ann@x.test', 'x']],
])('a row with %s is sent alone once it is corrected in a spreadsheet', async (_, row, cells) => {
  const { json, crm, file } = await serviceHome()
  const rejects = `${file('bad', '')}.csv`
  const rows = file('ragged.csv', `name;email\r\n${row}\r\nDee;dee@x.test\r\n;\r\n`)
  const first = await crm('contacts', 'import', rows, ...MATCH, '--rejects', rejects)
  expect(first.exit, first.stderr).toBe(3)
  const [head = '', bad = ''] = readFileSync(rejects, 'utf8').split('\r\n')
  expect(bad.startsWith('2;ragged_row;;')).toBe(true)
  expect(bad.endsWith(`;${cells.join(';')}`)).toBe(true)
  const [, job = ''] = /crm jobs retry (\S+) --from/.exec(first.stderr) ?? []
  const corrected = [head.split(';'), ['2', 'ragged_row', '', 'why', 'Ann', 'ann@x.test'], ['', '', '', '', '', '']]
  const again = await crm('jobs', 'retry', job, '--from', file('fixed.csv', savedBySpreadsheet(corrected)), '--yes')
  expect(again.exit, again.stderr).toBe(0)
  const contacts: { email: string }[] = await json('contacts', 'list')
  expect(contacts.map(({ email }) => email).toSorted()).toEqual(['ann@x.test', 'dee@x.test'])
})

test('a failed row whose cells a spreadsheet has shifted is refused, and nothing is sent', async () => {
  const { json, crm, file } = await serviceHome()
  const head = 'name;email;phone;company;city;_crm_line;_crm_code;_crm_field;_crm_reason'
  const row = 'Anna Kurz;anna@kurz.example;2;ragged_row;;"""anna@kurz.example"": it has 2 cells";;;'
  const { exit, stderr } = await crm('contacts', 'import', file('short.csv', `\ufeff${head}\r\n${row}\r\n`), ...MATCH)
  expect(exit).toBe(2)
  expect(stderr).toContain('line 2 has no number in _crm_line')
  expect(await json('contacts', 'list')).toEqual([])
})

test('a file of --csv-safe comes back as it was, and is never taken for texts with apostrophes', async () => {
  const { json, crm, file } = await serviceHome()
  const given = file('in.jsonl', '{"name":"A","phone":"+49 30 1"}\n{"name":"=1+1","phone":"\'-5"}\n')
  await json('contacts', 'import', given, '--yes')
  const safe = file('safe.csv', '')
  expect(await crm('contacts', 'export', safe, '--csv-safe', '--fields', 'id,name,phone')).toMatchObject({ exit: 0 })
  expect(readFileSync(safe, 'utf8')).toContain("'+49 30 1")
  const asked = await crm('contacts', 'import', safe, '--yes')
  expect(asked).toMatchObject({ exit: 2, stderr: expect.stringContaining('--from-csv-safe takes it off') })
  expect(await json('contacts', 'import', safe, '--yes', '--from-csv-safe')).toMatchObject({ unchanged: 2, done: 0 })
})

test('amounts as a German spreadsheet writes them are read with --decimal comma, and no other is guessed', async () => {
  const { json, crm, file } = await serviceHome()
  const amounts = ['512,77', '1.234', '1.234,5', '1,234.5', '1 234,50', '4.711,98 €', '(12,50)', '-12,50', '12.345.678']
  const rows = amounts.map((amount, at) => `D${at + 1};Lead;${amount}\n`).join('')
  const deals = file('amounts.csv', `name;stage;amount\n${rows}`)
  const rejected = await crm('deals', 'import', deals, '--decimal', 'comma', '--rejects', `${deals}.bad`, '--yes')
  expect(rejected.exit, rejected.stderr).toBe(3)
  for (const line of [5, 7, 8]) expect(rejected.stderr).toContain(`line ${line}: `)
  const made: { name: string; amount: number }[] = await json('deals', 'list')
  expect(Object.fromEntries(made.map(({ name, amount }) => [name, amount]))).toEqual({
    ...{ D1: 512.77, D2: 1234, D3: 1234.5, D5: 1234.5, D8: -12.5, D9: 12345678 },
  })
})
