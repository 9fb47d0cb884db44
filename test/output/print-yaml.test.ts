import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { runs } from '../harness/sample.ts'
import { anyText, NAUGHTY } from './naughty-strings.ts'
import { print } from './print-fixture.ts'

async function yaml(...pages: CrmRecord[][]): Promise<string> {
  return (await print({ format: 'yaml' }, ...pages)).io.out()
}

test('yaml is one list for all pages, in the order of the server', async () => {
  const text = await yaml(
    [{ id: 'con_1', tags: ['a', ['b']], o: { x: null, e: {}, l: [] } }],
    [{ id: 'con_2', size: -1.5 }],
  )
  expect(text).toBe(
    [
      '- id: con_1',
      '  tags:',
      '    - a',
      '    - - b',
      '  o:',
      '    x: null',
      '    e: {}',
      '    l: []',
      '- id: con_2',
      '  size: -1.5',
      '',
    ].join('\n'),
  )
})

test.each([
  '1',
  '1e3',
  '0o17',
  '012',
  '1_000',
  '0x1F',
  '.5',
  '-',
  '~',
  'null',
  'Yes',
  'off',
  'y',
  '12:30',
  '2026-01-01',
  '<<',
  '',
  '.inf',
  '# c',
  'a: b',
  'a #b',
  '- a',
  '---',
  '...',
  '!t',
  '&a',
  '*a',
  '%',
  '@',
  '`',
  'a\n',
  ' a',
])('the text %j is a text to readers of YAML 1.2 and 1.1', async (text) => {
  const written = await yaml([{ [text]: text }])
  for (const version of ['1.2', '1.1'] as const) expect(parse(written, { version })).toEqual([{ [text]: text }])
})

test('every naughty string is read back from yaml unchanged, as a value and as a key', async () => {
  const records = NAUGHTY.map((name, id) => ({ id, name, [name]: [name] }))
  expect(parse(await yaml(records))).toEqual(records)
})

test('any JSON is read back unchanged', async () => {
  const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'y', '1', 'k'.repeat(1100)))
  const { json } = fc.letrec<{ json: never }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      anyText(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.constantFrom(null, true, 1e21, 1e-7),
      fc.array(tie('json')),
      fc.dictionary(key, tie('json')),
    ) as fc.Arbitrary<never>,
  }))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.dictionary(key, json), { minLength: 1 }), async (records) => {
      const plain = JSON.parse(JSON.stringify(records)) as CrmRecord[]
      expect(JSON.stringify(parse(await yaml(plain)))).toBe(JSON.stringify(plain))
    }),
    { numRuns: runs(100, 15) },
  )
})

test('yaml contains no character that a terminal acts on', async () => {
  expect(await yaml([{ '\x1b[31m': '\x1b[2J\u202e\x9b\r' }])).toBe('- "\\u001b[31m": "\\u001b[2J\\u202e\\u009b\\r"\n')
})
