import { expect, test } from 'vitest'
import { compileExpressions } from '../../src/expr/expressions.ts'
import { print } from './print-fixture.ts'

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
