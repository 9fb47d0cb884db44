import { expect, test } from 'vitest'
import { CrmError } from '../../src/core/errors.ts'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { compileExpressions } from '../../src/expr/expressions.ts'
import { printRecords } from '../../src/output/print-records.ts'
import { OUTPUT_FORMATS } from '../../src/output/record-output.ts'
import { fakeIo } from './fake-io.ts'
import { pagesOf, print } from './print-fixture.ts'

const ann = { id: 'con_1', name: 'Ann', owner: { id: 7 } }
const bob = { id: 'con_2', name: 'Bob', email: null }

test('json is one document for all pages, with keys in the order of the server', async () => {
  const { io, count } = await print({ format: 'json' }, [ann], [], [bob])
  expect(io.out()).toBe(`${JSON.stringify([ann, bob], null, 2)}\n`)
  expect(count).toBe(2)
})

test('jsonl has one record per line, id one id per line', async () => {
  expect((await print({ format: 'jsonl' }, [ann], [bob])).io.out()).toBe(
    `${JSON.stringify(ann)}\n${JSON.stringify(bob)}\n`,
  )
  expect((await print({ format: 'id' }, [ann, bob], [{ id: 3 }])).io.out()).toBe('con_1\ncon_2\n3\n')
})

test.each([
  ['json', '[]\n'],
  ['jsonl', ''],
  ['id', ''],
  ['csv', 'id,name\r\n'],
  ['tsv', 'id\tname\n'],
  ['yaml', '[]\n'],
  ['table', ''],
] as const)('no records as %s are %j', async (format, text) => {
  expect((await print({ format })).io.out()).toBe(text)
  const { io, count } = await print({ format, fields: 'id,name' }, [], [])
  expect([io.out(), io.err(), count]).toEqual([text, '', 0])
})

test('rows are printed before the next page is requested', async () => {
  const io = fakeIo()
  const seen: string[] = []
  async function* pages(): AsyncIterable<readonly CrmRecord[]> {
    yield [ann]
    seen.push(io.out())
    yield [bob]
  }
  for (const format of OUTPUT_FORMATS) {
    await printRecords(
      { io, format, fields: undefined, columns: ['id'], color: false, isCsvSafe: false, query: undefined },
      pages(),
    )
  }
  expect(seen).toHaveLength(OUTPUT_FORMATS.length)
  for (const text of seen) expect(text).toContain('con_1')
})

test('a slow reader is waited for', async () => {
  const events: string[] = []
  const io = fakeIo()
  const stdout = {
    write: (text: string) => {
      events.push(text)
      return false
    },
    once: (_: 'drain', listener: () => void) =>
      setImmediate(() => {
        events.push('drained')
        listener()
      }),
  }
  const out = {
    io: { ...io, stdout },
    format: 'id',
    fields: undefined,
    columns: [],
    color: false,
    isCsvSafe: false,
    query: undefined,
  } as const
  await printRecords(out, pagesOf([ann], [bob]))
  expect(events).toEqual(['con_1\n', 'drained', 'con_2\n', 'drained'])
})

test.each(OUTPUT_FORMATS)('a failure before the first page leaves stdout empty (%s)', async (format) => {
  const io = fakeIo()
  const pages = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('no answer')) }) }
  const out = { io, format, fields: undefined, columns: ['id'], color: false, isCsvSafe: false, query: undefined }
  await expect(printRecords(out, pages)).rejects.toThrow('no answer')
  expect(io.out()).toBe('')
})

test('a failure after the first page leaves the json document unclosed', async () => {
  const io = fakeIo()
  async function* pages(): AsyncIterable<readonly CrmRecord[]> {
    yield [ann]
    throw new CrmError('unreachable', 'no answer', { hint: 'try again' })
  }
  const out = {
    io,
    format: 'json',
    fields: undefined,
    columns: [],
    color: false,
    isCsvSafe: false,
    query: undefined,
  } as const
  await expect(printRecords(out, pages())).rejects.toThrow('no answer')
  expect(io.out()).toContain('con_1')
  expect(() => JSON.parse(io.out())).toThrow()
})

test('fields select members under their dotted names, absent ones are null', async () => {
  const { io } = await print({ format: 'jsonl', fields: 'owner.id,name,email' }, [ann, bob])
  expect(io.out()).toBe('{"owner.id":7,"name":"Ann","email":null}\n{"owner.id":null,"name":"Bob","email":null}\n')
  expect(io.err()).toBe('')
})

test('the same fields can be selected from the output again', async () => {
  const { io } = await print({ format: 'json', fields: 'owner.id' }, [{ 'owner.id': 7 }])
  expect(JSON.parse(io.out())).toEqual([{ 'owner.id': 7 }])
})

test('a field that no record has is reported once, on stderr', async () => {
  for (const format of ['table', 'json', 'jsonl'] as const) {
    const { io } = await print({ format, fields: 'id,nmae,owner.id' }, [ann], [bob, bob])
    expect(io.err()).toBe('no record has the field "nmae"\n')
  }
})

test('a known field that no record has is reported as empty, not as unknown', async () => {
  const { io } = await print({ format: 'jsonl', columns: ['id', 'phone'], fields: 'id,phone' }, [{ id: 'x' }])
  expect(io.err()).toBe('phone is empty in every record\n')
})

test.each([{ name: 'x' }, { id: null }, { id: '' }, { id: 'a\nb' }, { id: 'a b' }, { id: 'a\u202e' }])(
  '-o id rejects the record %j',
  async (record) => {
    await expect(print({ format: 'id' }, [record])).rejects.toMatchObject({ code: 'bad_answer' })
  },
)

test('names of inherited members are keys like any other', async () => {
  const record = JSON.parse('{"__proto__":{"a":1},"constructor":"c","id":"x"}') as CrmRecord
  expect((await print({ format: 'jsonl' }, [record])).io.out()).toBe(`${JSON.stringify(record)}\n`)
  const { io } = await print({ format: 'jsonl', fields: '__proto__.a,constructor' }, [record])
  expect(io.out()).toBe('{"__proto__.a":1,"constructor":"c"}\n')
})

async function queried(jq: string, format: 'json' | 'jsonl', width?: number): Promise<string> {
  const { query } = await compileExpressions({ where: undefined, jq, whereErrors: 'stop' }, { say: () => {}, nowMs: 0 })
  if (!query) throw new Error('no query')
  const pages = [
    [
      { id: 'a', n: 1 },
      { id: 'b\x1b[2J', n: 2 },
    ],
    [{ id: 'c', n: 3 }],
  ]
  const { io, count } = await print({ format, query, ...(width && { width }) }, ...pages)
  expect(count).toBe(3)
  return io.out()
}

test('with json the input of the expression is the whole list, not a page', async () => {
  expect(await queried('map(.n) | add', 'json')).toBe('6\n')
  expect(await queried('{n: length}', 'json')).toBe('{\n  "n": 3\n}\n')
})

test('with jsonl the input is each record, and each result is a line', async () => {
  expect(await queried('{n}, .n + 1', 'jsonl')).toBe('{"n":1}\n2\n{"n":2}\n3\n{"n":3}\n4\n')
  expect(await queried('empty', 'jsonl')).toBe('')
})

test('texts are printed unquoted, and safe on a terminal', async () => {
  expect(await queried('.id', 'jsonl')).toBe('a\nb\x1b[2J\nc\n')
  expect(await queried('.id', 'jsonl', 80)).toBe('a\nb\\x1b[2J\nc\n')
  expect(await queried('map([.id, .n] | @csv) | join("\\n")', 'json', 80)).toBe('"a",1\n"b\\x1b[2J",2\n"c",3\n')
})
