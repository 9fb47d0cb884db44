import { describe, expect, test } from 'vitest'
import { canonicalJson, type JsonObject } from '../../../src/core/json.ts'
import { fieldsOf, type Input, read } from '../reading.ts'

/** The value of one cell, under this part of --map; the message of its finding where it has one. */
async function converted(cell: string, type: string, more: Partial<Input> = {}): Promise<unknown> {
  const bytes = `name,x\nAda,"${cell}"\n`
  const { rows, findings } = await read({ bytes, map: [`x=value:${type}`], ...more })
  const [finding] = findings
  if (finding) return { [finding.code]: finding.message }
  return JSON.parse(canonicalJson((rows[0]?.fields ?? {}) as JsonObject)).value
}

const NUMBER = '1.234,50'

describe('--map COLUMN=FIELD:number(EXAMPLE)', () => {
  test.each([
    ['1.234,50', NUMBER, 1234.5],
    ['1234,5', NUMBER, 1234.5],
    ['-1.234.567,00', NUMBER, -1234567],
    ['−7', NUMBER, -7],
    ['1.234,50 EUR', '1.234,50 EUR', 1234.5],
    ['1.234,50', '1.234,50 EUR', 1234.5],
    ['€ 12', '€ 1.234,50', 12],
    ['12\u00a0345,6', '1 234,50', 12345.6],
    ["1'234.50", "1'234.50", 1234.5],
    ['1,234', '1,234', 1234],
    ['0012', NUMBER, 12],
  ])('reads %s as %s', async (cell, example, value) => {
    expect(await converted(cell, `number(${example})`)).toBe(value)
  })

  test.each([
    ['1.23,50', NUMBER],
    ['12.3456', NUMBER],
    ['1,234.50', NUMBER],
    ['1.234,50 USD', '1.234,50 EUR'],
    ['12,5x', NUMBER],
    [',5', NUMBER],
    ['1..234', NUMBER],
    ['1,2,3', NUMBER],
  ])('refuses %s as %s', async (cell, example) => {
    expect(await converted(cell, `number(${example})`)).toEqual({ not_a_number: `expected a number as ${example}` })
  })

  test('keeps all digits', async () => {
    const [row] = await fieldsOf({ bytes: 'name,x\nAda,"12.345.678.901.234.567,89"\n', map: ['x=v:number(1.234,50)'] })
    expect(canonicalJson(row as JsonObject)).toContain('12345678901234567.89')
  })
})

test.each([
  ['comma', '1.234,5', 1234.5],
  ['comma', '1234,5', 1234.5],
  ['comma', '1 234', 1234],
  ['point', '1,234.5', 1234.5],
])('--decimal %s reads %s in columns of numbers', async (decimal, cell, value) => {
  expect(await converted(cell, 'number', { decimal: decimal as 'comma' })).toBe(value)
})

test('--decimal comma refuses a point that is no group', async () => {
  const message = 'expected a number such as 1.234,50'
  expect(await converted('1234.5', 'number', { decimal: 'comma' })).toEqual({ not_a_number: message })
})

describe('--map COLUMN=FIELD:date(SHAPE)', () => {
  test.each([
    ['03.04.2026', 'date(D.M.Y)', '2026-04-03'],
    ['3.4.2026', 'date(D.M.Y)', '2026-04-03'],
    ['2026-04-03', 'date(D.M.Y)', '2026-04-03'],
    ['04/03/26', 'date(D.M.Y|M/D/YY)', '2026-04-03'],
    ['4/3/70', 'date(M/D/YY)', '1970-04-03'],
  ])('reads %s as %s', async (cell, type, date) => {
    expect(await converted(cell, type)).toBe(date)
  })

  test.each([
    ['31.02.2026', 'date(D.M.Y)'],
    ['13/13/2026', 'date(M/D/Y)'],
    ['3.4.26', 'date(D.M.Y)'],
    ['2026-13-01', 'date(D.M.Y)'],
    ['soon', 'date(D.M.Y)'],
  ])('refuses %s as %s', async (cell, type) => {
    expect(await converted(cell, type)).toHaveProperty('not_a_date')
  })

  test('--date-format gives the order where the shape is left out', async () => {
    for (const cell of ['03.04.2026', '3/4/2026', '3-4-2026', '3. 4. 2026', '2026-04-03']) {
      expect(await converted(cell, 'date', { dateOrder: 'DMY' })).toBe('2026-04-03')
    }
    expect(await converted('4/3/2026', 'date', { dateOrder: 'MDY' })).toBe('2026-04-03')
    expect(await converted('3.4/2026', 'date', { dateOrder: 'DMY' })).toHaveProperty('not_a_date')
    await expect(converted('3.4.2026', 'date')).rejects.toThrow('does not say which number is the day')
  })
})

describe('--map COLUMN=FIELD:phone(COUNTRY)', () => {
  test.each([
    ['044 364 35 32', '+41443643532'],
    ['+49 (0) 30 901820', '+4930901820'],
    ['0041 44 364 35 32', '+41443643532'],
  ])('writes %s as %s', async (cell, number) => {
    expect(await converted(cell, 'phone(CH)')).toBe(number)
  })

  test.each(['12', '044 364 35 32 ext. 4', 'call 044 364 35 32', 'n/a'])('refuses %s', async (cell) => {
    expect(await converted(cell, 'phone(CH)')).toHaveProperty('not_a_phone')
  })

  test('without a country, a number needs its code', async () => {
    expect(await converted('+41 44 364 35 32', 'phone')).toBe('+41443643532')
    expect(await converted('044 364 35 32', 'phone')).toHaveProperty('not_a_phone')
    await expect(converted('1', 'phone(XX)')).rejects.toThrow('"XX" is no country')
  })
})

describe('--map COLUMN=FIELD:email', () => {
  test.each([
    [' Ada@Engines.EXAMPLE ', 'ada@engines.example'],
    ['mailto:ada@x.test?subject=x', 'ada@x.test'],
    ['Ada Lovelace <ada@x.test>', 'ada@x.test'],
    ['ada.l+crm@x.test', 'ada.l+crm@x.test'],
    ['jürgen@müller.example', 'jürgen@müller.example'],
  ])('writes %s as %s', async (cell, address) => {
    expect(await converted(cell, 'email')).toBe(address)
  })

  test.each(['ada', 'ada@', '@x.test', 'ada@x', 'a da@x.test', 'ada@x..test', 'ada@x.test, bob@x.test', 'a@1.2.3.4'])(
    'refuses %s',
    async (cell) => {
      expect(await converted(cell, 'email')).toHaveProperty('not_an_email')
    },
  )
})

test('expressions see what a conversion made of a cell', async () => {
  const bytes = 'name;Tel\nAda;044 364 35 32\n'
  const compute = ['note=.Tel + "/" + .phone']
  expect(await fieldsOf({ bytes, map: ['Tel=phone:phone(CH)'], compute })).toEqual([
    { name: 'Ada', phone: '+41443643532', note: '+41443643532/+41443643532' },
  ])
  const json = '[{"name":"Ada","Tel":"044 364 35 32"}]'
  expect(await fieldsOf({ bytes: json, name: 'a.json', map: ['Tel=phone:phone(CH)'], compute })).toMatchObject([
    { note: '+41443643532/+41443643532' },
  ])
})

test('--trim takes blanks off every text, and a blank cell leaves its field alone', async () => {
  const bytes = 'name,email,city\n Ada ,\u00a0ada@x.test,  \n  ,  ,  \n'
  expect((await read({ bytes, isTrimmed: true })).rows.map(({ fields }) => fields)).toEqual([
    { name: 'Ada', email: 'ada@x.test' },
  ])
})

test.each(['number(1-2)', 'date(D.M)', 'email(x)', 'phone(Q)', 'text(1)'])(
  '--map x=value:%s is refused',
  async (type) => {
    await expect(converted('1', type)).rejects.toThrow(/is no|is not a type|takes nothing/)
  },
)

describe('--encoding mixed', () => {
  const bytes = Buffer.concat([
    Buffer.from('name,city\nJürgen,Zürich\n'),
    Buffer.from('Jürgen,Zürich\nAda,London\n', 'latin1'),
  ])

  test('reads each line in its own encoding', async () => {
    const { rows } = await read({ bytes, encoding: 'mixed' })
    expect(rows.map(({ fields }) => `${fields.name} ${fields.city}`)).toEqual([
      'Jürgen Zürich',
      'Jürgen Zürich',
      'Ada London',
    ])
  })

  test('with a line of both encodings is refused with its number', async () => {
    const both = Buffer.concat([bytes, Buffer.from('Jürgen,'), Buffer.from('Zürich\n', 'latin1')])
    await expect(read({ bytes: both, encoding: 'mixed' })).rejects.toThrow(
      'people.csv, line 5: bytes that are neither all UTF-8 nor all Windows-1252',
    )
  })

  test('is what the refusal of such a file names', async () => {
    await expect(read({ bytes })).rejects.toMatchObject({
      details: { hint: expect.stringContaining('--encoding mixed reads it as Windows-1252') },
    })
  })
})

test.each([
  ['.x | number("1.234,50 EUR")', '1.234,50 EUR', 1234.5],
  ['.x | number("1.234,50")', '-0.234.567', -234567],
  ['.x | number("1,234")', '1,234', 1234],
  ['.x | number("1 234,50")', '12\u00a0345,6', 12345.6],
  ['.x | date("D.M.Y")', '3.4.2026', '2026-04-03'],
  ['.x | date("D.M.Y|M/D/YY")', '4/3/70', '1970-04-03'],
  ['.x | date("M/D/Y")', '2026-04-03', '2026-04-03'],
])('the jq functions convert as --map does: %s of %s', async (text, cell, value) => {
  const [fields] = await fieldsOf({ bytes: `name,x\nAda,"${cell}"\n`, map: ['x='], compute: [`value=${text}`] })
  expect(fields).toMatchObject({ value })
})

test.each([
  ['.x | number("1.234,50")', '1,234.50', 'is no number as 1.234,50'],
  ['.x | date("D.M.Y")', '31.02.2026', 'is no date as D.M.Y'],
  ['.x | date("D.M")', '31.02.2026', 'is no shape of a date'],
])('a row on which %s fails is refused: %s', async (text, cell, message) => {
  const { findings } = await read({ bytes: `name,x\nAda,"${cell}"\n`, map: ['x='], compute: [`value=${text}`] })
  expect(findings).toMatchObject([{ code: 'compute_failed', message: expect.stringContaining(message) }])
})
