import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs, sample } from '../../harness/sample.ts'
import { NAUGHTY } from '../../output/naughty-strings.ts'
import { print } from '../../output/print-fixture.ts'
import { fieldsOf, read } from '../reading.ts'

const EXACT = '12345678901234567890.50'

describe.each(['jsonl', 'json', 'yaml'] as const)('%s', (format) => {
  test('reads back its own output, every naughty string and every digit', async () => {
    const records = sample(NAUGHTY, 5).map((name, at) => ({ name, deep: { list: [at, null, true, { x: '' }] } }))
    const { io } = await print({ format }, records)
    expect(await fieldsOf({ bytes: io.out(), name: `a.${format}` })).toEqual(records)
    const exact = { jsonl: `{"n":${EXACT}}\n`, json: `[{"n":${EXACT}}]`, yaml: `- n: ${EXACT}\n` }[format]
    expect(JSON.stringify(await fieldsOf({ bytes: exact, name: `a.${format}` }))).toBe(`[{"n":${EXACT}}]`)
  })

  test('states the bytes of each record', async () => {
    const { io } = await print(
      { format },
      sample(NAUGHTY.slice(0, 100), 5).map((name) => ({ name })),
    )
    const { rows, path } = await read({ bytes: io.out(), name: `a.${format}` })
    const bytes = await readFile(path)
    for (const { offset, length, fields } of rows) {
      const own = bytes.subarray(offset, offset + length)
      const again = format === 'json' ? Buffer.concat([Buffer.from('['), own, Buffer.from(']')]) : own
      expect(await fieldsOf({ bytes: again, name: `a.${format}` })).toEqual([fields])
    }
  })

  test('has no rows in an empty input', async () => {
    expect(await fieldsOf({ bytes: format === 'jsonl' ? '' : '[]\n', name: `a.${format}` })).toEqual([])
  })
})

test('null clears, an empty text is kept, and fields that the server sets are dropped', async () => {
  const bytes = '{"id":"con_1","name":null,"email":"","created_at":"x","version":3,"_crm":{"line":7}}\n'
  expect((await read({ bytes, name: 'a.jsonl' })).rows).toMatchObject([
    { id: 'con_1', earlierLine: 7, fields: { name: null, email: '' } },
  ])
})

test('every invalid line is a finding, and the rest is read', async () => {
  const { rows, findings } = await read({ bytes: '{"name":"a"}\n{"name":\n\n[1]\n{"name":"b"}', name: 'a.jsonl' })
  expect(rows.map(({ line }) => line)).toEqual([1, 5])
  expect(findings).toMatchObject([
    { line: 2, offset: 13, code: 'not_json', message: 'not JSON: Unexpected end of JSON input' },
    { line: 4, offset: 23, code: 'wrong_type', message: 'expected an object' },
  ])
})

test('a value of the wrong type is a finding, and is never converted', async () => {
  const bytes = '{"name":5,"amount":"12","stage":"Won"}\n'
  const { findings } = await read({ bytes, name: 'a.jsonl', kind: 'deal' })
  expect(findings).toMatchObject([
    { column: 'name', value: '5', message: 'expected a text' },
    { column: 'amount', value: '12', message: 'expected a number' },
  ])
  expect(
    await fieldsOf({ bytes: '{"amount":"12"}', name: 'a.jsonl', kind: 'deal', map: ['amount=amount:number'] }),
  ).toEqual([{ amount: 12 }])
})

test('two names for one field in a record, and a name close to a field, are findings', async () => {
  const { findings } = await read({ bytes: '{"email":"a","Email":"b"}\n{"emial":"c"}\n', name: 'a.jsonl' })
  expect(findings).toMatchObject([
    { line: 1, column: 'Email', code: 'duplicate_field' },
    { line: 2, column: 'emial', code: 'unknown_column', message: expect.stringContaining('did you mean email?') },
  ])
})

test.each([
  ['{"email":"a","name":"n","email":"b"}', 'email'],
  ['{"email" : "a",\t"\\u0065mail"\n: "b"}', 'email'],
  ['{"name":"n","custom":{"list":[{"a":1},{"a":1,"b":"}","a":2}]}}', 'a'],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['{"score":12345678901234567890,"name":"a","name":"b"}', 'name'],
])('%s has a member twice, which is a finding that names it', async (json, column) => {
  const { rows, findings } = await read({ bytes: `[${json},{"name":"x"}]`, name: 'a.json' })
  expect(rows).toMatchObject([{ fields: { name: 'x' } }])
  const message = `the record has ${JSON.stringify(column)} twice; keep one of them`
  expect(findings).toMatchObject([{ line: 1, column, code: 'duplicate_field', message }])
})

test('one name in two objects, and a text that looks like a member, are not a member twice', async () => {
  const record = { name: '"name":"', email: 'a":', 'x":': { name: 'n', list: [{ name: 1 }, { name: 2 }] } }
  expect(await fieldsOf({ bytes: `${JSON.stringify(record)}\n`, name: 'a.jsonl' })).toEqual([record])
})

test('a column of --map that no record has is reported at the end', async () => {
  await expect(read({ bytes: '{"name":"a"}', name: 'a.jsonl', map: ['nme=name'] })).rejects.toThrow(
    '--map names "nme", which no record of a.jsonl has',
  )
})

describe('an invalid list of JSON is refused at the place of the error', () => {
  test.each([
    ['[{"a":1}', 'line 1, column 9: it ends too early, expected , or ]'],
    ['[{"a":1}\n}', 'line 2, column 1: expected , or ]'],
    ['[{"a":1}] x', 'line 1, column 11: expected nothing after the list'],
    ['{"data":[]}', 'line 1, column 1: expected a list, which begins with ['],
    ['', 'line 1, column 1: it ends too early, expected a list'],
  ])('%j', async (bytes, message) => {
    await expect(read({ bytes, name: 'a.json' })).rejects.toThrow(message)
  })
})

test.each([
  ['[{"a":1},]', { line: 1, position: 10 }],
  ['[{"a":1},\n{"a":1} {"b":1}]', { line: 2, position: 1 }],
])('what is no element between two commas is a finding: %j', async (bytes, place) => {
  const { rows, findings } = await read({ bytes, name: 'a.json' })
  expect(rows).toHaveLength(1)
  expect(findings).toMatchObject([{ ...place, code: 'not_json' }])
})

test('an element of a JSON list is found by line and column', async () => {
  const { findings } = await read({ bytes: '[{"name":"a"}, 5,\n{"name":\n"b"}, 6]', name: 'a.json' })
  expect(findings).toMatchObject([
    { line: 1, position: 16, code: 'wrong_type' },
    { line: 3, position: 7, code: 'wrong_type' },
  ])
})

test('a list is cut into its elements wherever the chunks of the file end', async () => {
  const record = fc.record({ name: fc.string({ unit: fc.constantFrom('"', '\\', '[', '}', ',', 'é', '\n') }) })
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 20 }), fc.nat(3), async (records, indent) => {
      const padding = ' '.repeat(32 * 1024 - 20)
      const bytes = `${padding}${JSON.stringify(records, null, indent)}`
      expect(await fieldsOf({ bytes, name: 'a.json' })).toEqual(records)
    }),
    { numRuns: runs(60, 15) },
  )
})

describe('yaml', () => {
  test('is read from one list of any size, and a phone number is a text', async () => {
    const count = runs(3_000, 500)
    const items = Array.from({ length: count }, (_, at) => `- name: n${at}\n  # note\n\n  phone: 0${at}\n`)
    const rows = await fieldsOf({ bytes: `# all\n---\n${items.join('')}`, name: 'a.yaml' })
    expect(rows).toHaveLength(count)
    expect(rows.at(-1)).toEqual({ name: `n${count - 1}`, phone: `0${count - 1}` })
  })

  test('is read from documents and from brackets too', async () => {
    expect(await fieldsOf({ bytes: 'name: a\n---\nname: b\n', name: 'a.yaml' })).toEqual([{ name: 'a' }, { name: 'b' }])
    expect(await fieldsOf({ bytes: '[{name: a}, {name: b}]', name: 'a.yaml' })).toEqual([{ name: 'a' }, { name: 'b' }])
  })

  test('that must be read whole is refused above one megabyte', async () => {
    const bytes = `[${'{name: abcdefgh}, '.repeat(70_000)}]`
    await expect(read({ bytes, name: 'a.yaml' })).rejects.toThrow('YAML in this form must be read whole')
  })

  test.each([
    ['- name: a\n- {b\n', 'line 3, column 1: not YAML'],
    ['- name: a\nname: b\n', 'line 2, column 1: not YAML: Unexpected scalar at node end'],
    ['- name: a\n  name: b\n', 'line 2, column 3: not YAML: Map keys must be unique'],
  ])('%j is refused at its place', async (bytes, message) => {
    await expect(read({ bytes, name: 'a.yaml' })).rejects.toThrow(message)
  })
})

test('a value that is nested too deep is a finding, or refused', async () => {
  const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  expect((await read({ bytes: `${deep}\n`, name: 'a.jsonl' })).findings).toMatchObject([
    { line: 1, message: 'not JSON: nested deeper than 256 levels' },
  ])
  const name = '[{'.repeat(runs(300_000, 30_000))
  expect(await fieldsOf({ bytes: `${JSON.stringify({ name })}\n`, name: 'a.jsonl' })).toEqual([{ name }])
  for (const depth of [300, 3_000, 50_000]) {
    const bytes = `- a: ${'['.repeat(depth)}${']'.repeat(depth)}\n`
    await expect(read({ bytes, name: 'a.yaml' })).rejects.toMatchObject({ code: 'invalid_input' })
  }
})

test('an alias in yaml is resolved within its item; an undefined alias and an alias bomb are refused', async () => {
  expect(await fieldsOf({ bytes: '- a: &x {b: 1}\n  c: *x\n', name: 'a.yaml' })).toEqual([{ a: { b: 1 }, c: { b: 1 } }])
  await expect(read({ bytes: '- a: *x\n', name: 'a.yaml' })).rejects.toThrow('not YAML: Unresolved alias')
  const levels = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...[...'bcdefgh'].map((at, nth) => `${at}: &${at} [${`*${'abcdefgh'[nth]},`.repeat(9)}]`),
  ]
  await expect(read({ bytes: `- ${levels.join('\n  ')}\n`, name: 'a.yaml' })).rejects.toThrow('Excessive alias count')
})

test('flags for cells are refused for formats without cells', async () => {
  await expect(read({ bytes: '{}', name: 'a.jsonl', nullToken: '-' })).rejects.toThrow(
    '--null applies to cells, and jsonl has none',
  )
})
