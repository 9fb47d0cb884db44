import { expect, test } from 'vitest'
import { parseExactJson } from '../../../src/core/json.ts'
import type { CrmRecord } from '../../../src/core/resources/registry.ts'
import { changesIn, isSameAsPrinted } from '../../../src/jobs/input/changed-members.ts'
import { sample } from '../../harness/sample.ts'
import { isUndefused, NAUGHTY } from '../../output/naughty-strings.ts'
import { print } from '../../output/print-fixture.ts'
import { read } from '../reading.ts'

const EXISTING: CrmRecord = {
  id: 'con_1',
  name: 'Ada',
  vip: true,
  size: parseExactJson('12345678901234567890'),
  tags: ['a', { b: null }],
  owner: { name: 'O', id: 7 },
  'a.b': 'dotted',
  email: null,
}

test('a cell is unchanged if it equals the text that csv prints for the value', () => {
  const cells = { vip: 'true', size: '12345678901234567890', tags: '["a",{"b":null}]', owner: { name: 'O', id: '7' } }
  expect(changesIn(cells, EXISTING, true)).toEqual({ fields: {}, retyped: [] })
  expect(isSameAsPrinted('', null)).toBe(true)
  expect(isSameAsPrinted('', undefined)).toBe(true)
  expect(isSameAsPrinted('1', 1)).toBe(true)
  expect(isSameAsPrinted('1.0', 1)).toBe(false)
})

test('the patch contains the members that differ, and no others', () => {
  const given = { name: 'Ada L', email: null, phone: null, owner: { name: 'P', id: '7' } }
  expect(changesIn(given, EXISTING, true).fields).toEqual({ name: 'Ada L', owner: { name: 'P' } })
})

test('a cell that would turn a boolean, a number or a list into a text is reported', () => {
  expect(changesIn({ vip: 'false', tags: 'x', name: 'y' }, EXISTING, true).retyped).toEqual(['vip', 'tags'])
})

test('a column a.b is the member of that name if the record has one, and else the member b of a', () => {
  expect(changesIn({ a: { b: 'dotted' } }, EXISTING, true).fields).toEqual({})
  expect(changesIn({ a: { b: 'x' } }, EXISTING, true).fields).toEqual({ 'a.b': 'x' })
  expect(changesIn({ a: { b: 'x' } }, {}, true).fields).toEqual({ a: { b: 'x' } })
})

test('JSON is compared by type: a text that looks like a number is not a number', () => {
  expect(changesIn({ vip: 'true', name: 'Ada' }, EXISTING, false).fields).toEqual({ vip: 'true' })
  expect(changesIn({ tags: ['a', { b: null }], owner: { id: 7 } }, EXISTING, false).fields).toEqual({})
  expect(changesIn({ size: parseExactJson('12345678901234567891') }, EXISTING, false).fields).not.toEqual({})
})

test.each(['csv', 'tsv', 'jsonl', 'json', 'yaml'] as const)(
  'records that were printed as %s and read back have no changes, over the naughty strings',
  async (format) => {
    const texts = sample(NAUGHTY, 5).filter(isUndefused)
    const records = texts.map((text, at) => ({
      id: `con_${at}`,
      name: text,
      tags: [text, { [text]: at }],
      deep: at % 2 === 0 ? null : { x: text },
      n: at / 7,
      created_at: 'now',
    }))
    const { io } = await print({ format, columns: ['id', 'name', 'email'] }, records)
    const { source, rows, findings } = await read({ bytes: io.out(), name: `a.${format}` })
    expect(findings).toEqual([])
    expect(rows.map(({ id }) => id)).toEqual(records.map(({ id }) => id))
    for (const [at, { fields }] of rows.entries()) {
      expect(source.changes(fields, records[at] ?? {})).toEqual({ fields: {}, retyped: [] })
    }
    expect(Object.keys(rows[1]?.fields ?? {})).toContain('name')
  },
)
