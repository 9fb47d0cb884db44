import { expect, test } from 'vitest'
import { parseExactJson } from '../../src/core/json.ts'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { compileExpressions } from '../../src/expr/expressions.ts'
import type { Format } from '../../src/output/record-output.ts'
import { print } from './print-fixture.ts'

const DIGITS = ['12345678901234567890', '1e400', '-0', '1.0000000000000000001'] as const

function recordOf(digits: string): CrmRecord {
  return parseExactJson(`{"id":${digits},"name":"a","in":{"n":[${digits}]}}`) as CrmRecord
}

const LINES: readonly (readonly [format: Format, lines: (digits: string) => string])[] = [
  ['jsonl', (digits) => `{"id":${digits},"name":"a","in":{"n":[${digits}]}}\n`],
  ['csv', (digits) => `id,name,in\r\n${digits},a,"{""n"":[${digits}]}"\r\n`],
  ['tsv', (digits) => `id\tname\tin\n${digits}\ta\t{"n":[${digits}]}\n`],
  ['id', (digits) => `${digits}\n`],
]

test.each(LINES)('%s shows all digits of numbers that a double cannot hold', async (format, lines) => {
  for (const digits of DIGITS) {
    const { io } = await print({ format }, [recordOf(digits)])
    expect(io.out()).toBe(lines(digits))
  }
})

test('json and tables show them, too, aligned to the right in a table', async () => {
  for (const digits of DIGITS) {
    const json = await print({ format: 'json' }, [recordOf(digits)])
    expect(json.io.out()).toContain(`"id": ${digits},`)
    const table = await print({ format: 'table' }, [recordOf(digits), recordOf('1234567890123456789012')])
    expect(table.io.out().split('\n')[1]).toBe(`${digits.padStart(22)}  a`)
  }
})

test.each([
  ['12345678901234567890', '12345678901234567890'],
  ['1e400', '1.0e+400'],
  ['1.5E-400', '1.5e-400'],
  ['-0', '-0'],
])('yaml writes %s as %s, which every reader takes for a number', async (digits, shown) => {
  const { io } = await print({ format: 'yaml' }, [recordOf(digits)])
  expect(io.out()).toBe(`- id: ${shown}\n  name: a\n  in:\n    "n":\n      - ${shown}\n`)
})

test('--fields selects them at any depth, and does not look inside', async () => {
  const { io } = await print({ format: 'jsonl', fields: 'in.n.0,id.rawJSON' }, [recordOf('1e400')])
  expect(io.out()).toBe('{"in.n.0":1e400,"id.rawJSON":null}\n')
})

test('--where keeps them unchanged, and so does --jq without arithmetic', async () => {
  const { where, query } = await compileExpressions(
    { where: '.id > 5', jq: '.id', whereErrors: 'stop' },
    { say: () => {}, nowMs: 0 },
  )
  const kept = (await where?.keep([recordOf('12345678901234567890')])) ?? []
  const { io } = await print({ format: 'jsonl', ...(query && { query }) }, kept)
  expect(io.out()).toBe('12345678901234567890\n')
})
