import { describe, expect, test } from 'vitest'
import type { CrmError } from '../../../src/core/errors.ts'
import { read } from '../reading.ts'

const TEXT = 'name;email\r\nÄda €;a@x\r\n'
const WINDOWS = Buffer.from('name;email\r\n\xc4da \x80;a@x\r\n', 'latin1')
const bom = Buffer.from([0xef, 0xbb, 0xbf])

function utf16be(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16()
}

describe('the encoding is detected, and the offset of each record in the text', () => {
  test.each([
    ['utf-8', false, Buffer.from(TEXT), 12],
    ['utf-8', true, Buffer.concat([bom, Buffer.from(TEXT)]), 12],
    ['utf-16le', true, Buffer.from(`\ufeff${TEXT}`, 'utf16le'), 12],
    ['utf-16le', false, Buffer.from(TEXT, 'utf16le'), 12],
    ['utf-16be', true, utf16be(`\ufeff${TEXT}`), 12],
    ['utf-16be', false, utf16be(TEXT), 12],
  ])('%s, with a byte order mark: %s', async (encoding, hasBom, bytes, offset) => {
    const { source, rows } = await read({ bytes })
    expect(source.summary).toMatchObject({ encoding, hasBom, delimiter: ';', lineEnd: '\r\n' })
    expect(rows).toMatchObject([{ line: 2, offset, fields: { name: 'Äda €', email: 'a@x' } }])
  })
})

test('a file that is neither UTF-8 nor Windows-1252 alone is refused with its line and column, and read with --encoding', async () => {
  const bytes = Buffer.concat([Buffer.from('name\né\n'), Buffer.from([0xc4, 0x0a])])
  await expect(read({ bytes })).rejects.toThrow('people.csv, line 3, column 1: a byte that is not UTF-8')
  expect((await read({ bytes, encoding: 'windows-1252' })).rows.map(({ fields }) => fields.name)).toEqual(['Ã©', 'Ä'])
  expect((await read({ bytes: WINDOWS, encoding: 'windows-1252' })).rows).toMatchObject([
    { line: 2, offset: 12, fields: { name: 'Äda €', email: 'a@x' } },
  ])
  await expect(read({ bytes: WINDOWS, encoding: 'utf-8' })).rejects.toThrow(
    'line 2, column 1: a byte that is not UTF-8',
  )
})

/** One name in encodings whose bytes say nothing of themselves; Windows-1252 would read any of them. */
test.each([
  ['Windows-1252', [0xc4, 0x64, 0x61]],
  ['Windows-1250', [0xa3, 0x75, 0x6b, 0x61, 0x73, 0x7a]],
  ['Windows-1251', [0xc8, 0xe2, 0xe0, 0xed]],
  ['Windows-1253', [0xc3, 0xe9, 0xdc, 0xed]],
  ['ISO 8859-2', [0xa6, 0x69, 0x6d, 0x6f, 0x6e]],
  ['ISO 8859-15', [0xa4]],
  ['KOI8-R', [0xe9, 0xd7, 0xc1, 0xce]],
  ['Mac Roman', [0x9f, 0x6e]],
  ['code page 437', [0x81, 0x6e]],
  ['Shift JIS', [0x93, 0x63, 0x92, 0x86]],
  ['Big5', [0xa4, 0xa4]],
])('%s is refused with line and column where nothing states it', async (_, name) => {
  const bytes = Buffer.from([...Buffer.from('email,name\na@x,'), ...name, 0x0a])
  await expect(read({ bytes })).rejects.toMatchObject({
    exit: 2,
    message: expect.stringMatching(
      /people\.csv, line 2, column 5: a byte that is not UTF-8, and nothing states the encoding/,
    ),
    details: { hint: expect.stringMatching(/^--encoding [\w-]+ reads ".*"(?:; --encoding [\w-]+ reads ".*"){2}$/) },
  })
})

test('if only some lines of a file are not UTF-8, the hint states their number and the first ones', async () => {
  const bad = Buffer.from('\xc4\xe4,\xf6\n', 'latin1')
  const good = Buffer.from('é,ü\n')
  const hintOf = async (lines: readonly Buffer[], encoding?: 'utf-8') => {
    const bytes = Buffer.concat([Buffer.from('name,email\n'), ...lines])
    return read({ bytes, encoding }).then(
      () => 'was read',
      (error: CrmError) => error.details.hint,
    )
  }
  const others = 'as Windows-1252, and the other lines as UTF-8'
  expect(await hintOf([good, bad, good])).toBe(`1 line is not UTF-8: 3; --encoding mixed reads it ${others}`)
  const many = Array.from({ length: 20_000 }, (_, at) => (at % 2_000 === 0 ? bad : good))
  const named = `10 lines are not UTF-8: 2, 2002, 4002, 6002, 8002 …; --encoding mixed reads them ${others}`
  expect([await hintOf(many), await hintOf(many, 'utf-8')]).toEqual([named, named])
  expect(await hintOf([bad, bad], 'utf-8')).toContain('--encoding windows-1252')
})

test('a byte order mark that --encoding contradicts is refused', async () => {
  const marked = Buffer.concat([bom, Buffer.from(TEXT)])
  await expect(read({ bytes: marked, encoding: 'windows-1252' })).rejects.toThrow(
    'people.csv, line 1: it begins with the byte order mark of utf-8, which --encoding windows-1252 contradicts',
  )
  await expect(read({ bytes: utf16be(`\ufeff${TEXT}`), encoding: 'utf-16le' })).rejects.toThrow('mark of utf-16be')
  expect((await read({ bytes: marked, encoding: 'utf-8' })).rows).toHaveLength(1)
})

test.each(['utf-16le', 'utf-16be'] as const)('%s with half a character at its end is refused', async (encoding) => {
  const text = `name\n${'x'.repeat(100_000)}\nĊ\nlast`
  const whole = encoding === 'utf-16le' ? Buffer.from(text, 'utf16le') : utf16be(text)
  for (const bytes of [
    whole,
    Buffer.concat([encoding === 'utf-16le' ? Buffer.from([0xff, 0xfe]) : Buffer.from([0xfe, 0xff]), whole]),
  ]) {
    await expect(read({ bytes: bytes.subarray(0, -1), encoding })).rejects.toThrow(
      `people.csv, line 4, column 4: bytes from here on that are not ${encoding}`,
    )
    await expect(read({ bytes: bytes.subarray(0, -1) })).rejects.toMatchObject({ code: 'invalid_input', exit: 2 })
    expect((await read({ bytes })).rows).toHaveLength(3)
  }
})

test('a byte without a character in Windows-1252 is refused', async () => {
  const bytes = Buffer.from('name\n\x81\n', 'latin1')
  await expect(read({ bytes, encoding: 'windows-1252' })).rejects.toThrow(
    'line 2, column 1: bytes from here on that are not windows-1252',
  )
})

test('a character across two chunks of the file is valid', async () => {
  const bytes = `name\n${'x'.repeat(32 * 1024 - 6)}é😀\n`
  const { source, rows } = await read({ bytes })
  expect(source.summary.encoding).toBe('utf-8')
  expect(String(rows[0]?.fields.name).endsWith('xé😀')).toBe(true)
})

test('a spreadsheet that was not saved as text is refused as such', async () => {
  await expect(read({ bytes: 'PK\x03\x04…', name: 'people.xlsx' })).rejects.toThrow(
    'a spreadsheet or a zip archive, expected text',
  )
})

describe('the delimiter is detected', () => {
  test.each([',', ';', '\t', '|'])('%j', async (delimiter) => {
    const bytes = [
      ['name', 'email'],
      ['"a,b;c|d"', 'x'],
      ['plain', 'y'],
    ]
      .map((row) => `${row.join(delimiter)}\n`)
      .join('')
    const { source, rows } = await read({ bytes })
    expect(source.summary.delimiter).toBe(delimiter)
    expect(rows.map(({ fields }) => fields.name)).toEqual(['a,b;c|d', 'plain'])
  })

  test('by the headers that are fields, if two delimiters fit', async () => {
    const { source } = await read({ bytes: 'Job, title;email;phone\na, b;c;d\n' })
    expect(source.summary.columns.map(({ name }) => name)).toEqual(['Job, title', 'email', 'phone'])
  })

  test('by the first line, if a later one is ragged', async () => {
    const { source, findings } = await read({ bytes: 'name;email\na;b;c\nd;e\n' })
    expect(source.summary.delimiter).toBe(';')
    expect(findings).toMatchObject([{ code: 'ragged_row', line: 2 }])
  })

  test('by --delimiter, before everything else', async () => {
    const { rows } = await read({ bytes: 'name,x;email\na,b;c\n', delimiter: ',', map: ['x;email=y'] })
    expect(rows).toMatchObject([{ fields: { name: 'a', y: 'b;c' } }])
  })
})

describe('the format is detected', () => {
  test.each([
    ['a.csv', 'name\nx\n', 'csv'],
    ['a.TSV', 'name\nx\n', 'tsv'],
    ['a.ndjson', '{"name":"x"}\n', 'jsonl'],
    ['a.json', '[{"name":"x"}]', 'json'],
    ['a.yml', '- name: x\n', 'yaml'],
    ['-', 'name,email\nx,y\n', 'csv'],
    ['-', 'name\temail\nx\ty\n', 'tsv'],
    ['-', '{"name":"x"}\n', 'jsonl'],
    ['-', '[\n  {"name":"x"}\n]\n', 'json'],
    ['-', '- name: x\n', 'yaml'],
    ['-', '# all of them\n\n- name: x\n', 'yaml'],
    ['-', '#,name,email\n,x,y\n', 'csv'],
  ])('%s holding %j is %s', async (name, bytes, format) => {
    const { source, rows } = await read({ bytes, name })
    expect(source.summary.format).toBe(format)
    expect(rows).toMatchObject([{ fields: { name: 'x' } }])
  })
})

test('UTF-32, which looks like UTF-16 with NULs, is refused with the command that converts it', async () => {
  const bytes = Buffer.from([...`\ufeff${TEXT}`].flatMap((char) => [...Buffer.from(char, 'utf16le'), 0, 0]))
  await expect(read({ bytes })).rejects.toMatchObject({
    message: expect.stringContaining('a NUL outside quotes'),
    details: { hint: expect.stringContaining('iconv -f utf-32 -t utf-8 FILE') },
  })
})
