import { expect, test, vi } from 'vitest'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { refuseAssignment } from '../../src/expr/expression.ts'
import { compileExpressions } from '../../src/expr/expressions.ts'
import { loadJq } from '../../src/expr/jq.ts'

const NOW_MS = Date.parse('2026-03-01T12:00:00Z')

const RECORDS: readonly CrmRecord[] = [
  { id: 'a', amount: 1, tags: ['x'] },
  { id: 'b', amount: 20, tags: [] },
  { id: 'c', amount: null, tags: ['x', 'y'] },
]

async function kept(where: string, debugLines: string[] = []): Promise<unknown[]> {
  const { where: chosen } = await compileExpressions(
    { where, jq: undefined, whereErrors: 'stop' },
    { say: (line) => debugLines.push(line), nowMs: NOW_MS },
  )
  return ((await chosen?.keep(RECORDS)) ?? []).map(({ id }) => id)
}

async function results(jq: string, json: string): Promise<unknown> {
  const { query } = await compileExpressions({ where: undefined, jq, whereErrors: 'stop' }, { say: () => {}, nowMs: 0 })
  return query?.whole(json)
}

test.each([
  ['.amount > 5', ['b']],
  ['.amount', ['a', 'b']],
  ['.tags | length > 0', ['a', 'c']],
  ['.tags[] == "y"', ['c']],
  ['.tags[]', ['a', 'c']],
  ['empty', []],
  ['0', ['a', 'b', 'c']],
  ['.nope', []],
  ['def big: .amount > 5; big # a comment', ['b']],
  ['(.amount + 1)?', ['a', 'b', 'c']],
  ['.id | test("^[AB]$"; "i")', ['a', 'b']],
])('--where %s keeps %j: the records whose result is neither false nor null', async (where, ids) => {
  expect(await kept(where)).toEqual(ids)
})

test.each([
  ['.a[', 'syntax error, unexpected end of file'],
  ['', 'syntax error'],
  ['# nothing', 'syntax error'],
  ['1) | (2', 'syntax error'],
  ['1)] | [(2', 'syntax error'],
  ['nope(1)', 'nope/1 is not defined'],
  ['$x', '$x is not defined'],
  ['include "x"; .', 'syntax error'],
])('%j is a usage error with the message of jq', async (where, reason) => {
  await expect(kept(where)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(reason) })
})

test.each([
  ['.id.x', '3 records, the first is record "a": Cannot index string with string ("x")'],
  ['if .id == "b" then error("no \\(.id)") else true end', 'record "b": no b'],
  ['if .id == "c" then debug | error({x: 1}) else . end', 'record "c": {"x":1}'],
  ['if .id == "c" then halt else . end', 'record "c": the expression stops jq'],
  ['input', '3 records, the first is record "a": input has no next value: the current value, ., is the only one'],
  ['def f: 1 + f; f', 'record "a": jq ran out of memory'],
])('%s fails on the record that it fails on', async (where, reason) => {
  await expect(kept(where)).rejects.toMatchObject({ code: 'invalid_input', message: `--where fails on ${reason}` })
})

test('a record on which jq runs out of memory is the one named, nothing is printed for it, and others follow', async () => {
  const printed = vi.spyOn(console, 'error')
  const { query } = await compileExpressions(
    {
      where: undefined,
      jq: 'if .id == "c" then reduce range(1e5) as $i (0; [.]) else .amount end',
      whereErrors: 'stop',
    },
    { say: () => {}, nowMs: 0 },
  )
  await expect(query?.each(RECORDS)).rejects.toThrow('--jq fails on record "c": jq ran out of memory')
  expect(await query?.each(RECORDS.slice(0, 2))).toEqual([[1], [20]])
  expect(printed).not.toHaveBeenCalled()
})

const DECIMALS: readonly CrmRecord[] = [
  { id: 'a', amount: '500.00', owner: { score: '7' }, tags: ['x'] },
  { id: 'b', amount: 2000, tags: [] },
  { id: 'c', amount: null, tags: [] },
]

async function keptDecimals(where: string, whereErrors: 'stop' | 'skip' = 'skip'): Promise<unknown> {
  const { where: chosen } = await compileExpressions({ where, jq: undefined, whereErrors }, { say: () => {}, nowMs: 0 })
  const ids = ((await chosen?.keepAll(DECIMALS)) ?? []).map(({ id }) => id)
  return { ids, failure: (chosen?.failure()?.message ?? chosen?.leftOut())?.replace(/^.*record "a": /, '') }
}

test.each([
  ['.amount > 1000', ['b'], `amount is the text "500.00", not a number; use (.amount|tonumber) > 1000`],
  ['(.amount) > 1000', ['b'], `amount is the text "500.00", not a number; use ((.amount)|tonumber) > 1000`],
  ['.amount < 100', ['c'], `amount is the text "500.00", not a number; use (.amount|tonumber) < 100`],
  ['1e3 <= .amount and true', ['b'], `amount is the text "500.00", not a number; use 1e3 <= (.amount|tonumber)`],
  ['.owner["score"] >= -1', [], `owner.score is the text "7", not a number; use (.owner["score"]|tonumber) >= -1`],
  ['. as $r | $r.amount > 1', ['b'], `$r.amount is the text "500.00", not a number; use ($r.amount|tonumber) > 1`],
  ['.amount as $a | $a > 1', ['b'], `$a is the text "500.00", not a number; use ($a|tonumber) > 1`],
  ['.amount | . > 1', ['b'], `. is the text "500.00", not a number; use (.|tonumber) > 1`],
  ['(.amount // 0) > 1', ['b'], `amount is the text "500.00", not a number; use ((.amount // 0)|tonumber) > 1`],
  ['"\\(.amount > 1)" == "true"', ['b'], `amount is the text "500.00", not a number; use (.amount|tonumber) > 1`],
  ['def big: .amount > 1; big', ['b'], `amount is the text "500.00", not a number; use (.amount|tonumber) > 1`],
])('%s fails on a record whose member is a text', async (where, ids, reason) => {
  expect(await keptDecimals(where)).toEqual({ ids, failure: reason })
  expect(await keptDecimals(where, 'stop')).toEqual({ ids, failure: reason })
})

test('a text in the comparison fails on a record whose member is a number', async () => {
  expect(await keptDecimals('.amount > "1000"')).toEqual({
    ids: ['a'],
    failure: expect.stringMatching(/record "b": amount is the number 2000, not a text like "1000"$/),
  })
})

test.each([
  ['(.amount|tonumber? // 0) > 1000', ['b']],
  ['(.amount|tonumber?) > 1000', ['b']],
  ['(.amount|type) == "number" and .amount > 1000', ['b']],
  ['(.amount > 1000)?', ['b']],
  ['(.amount|numbers) > 1000', ['b']],
  ['(.amount|length) > 1', ['a', 'b']],
  ['.amount == 500', []],
  ['.amount > "400" + "x"', ['a']],
  ['.tags > 1', ['a', 'b', 'c']],
  ['to_entries | any((.value|numbers) > 1e9)', []],
  ['.amount // 0 > 1000', ['a', 'b']],
])('%s orders values as jq does', async (where, ids) => {
  expect(await keptDecimals(where)).toEqual({ ids, failure: undefined })
})

test('--jq fails on a list in which a text is ordered against a number', async () => {
  const json = JSON.stringify(DECIMALS)
  await expect(results('map(select(.amount > 1000).id)', json)).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('amount is the text "500.00", not a number'),
  })
  expect(await results('map(select(.amount|numbers > 1000).id)', json)).toEqual([['b']])
})

test('the output of debug is printed', async () => {
  const debugLines: string[] = []
  expect(await kept('.amount | debug | . == 20', debugLines)).toEqual(['b'])
  expect(debugLines).toEqual(['["DEBUG:",1]', '["DEBUG:",20]', '["DEBUG:",null]'])
})

test('an expression sees no environment, so it cannot print a key', async () => {
  expect(await results('env, $ENV', '0')).toEqual([{}, {}])
})

test('values pass an expression unchanged', async () => {
  const value = {
    'é\u0000"': ['\ud83d\ude00', '\u202e', 1e-7, 12345678901234567000, -0.1, true, null, {}],
    __proto__x: [[]],
  }
  expect(await results('., .', JSON.stringify(value))).toEqual([value, value])
})

test('an unpaired surrogate, which a server may send, is U+FFFD in an expression, and the records can be read', async () => {
  const { where, query } = await compileExpressions(
    { where: '.name != "zz"', jq: '.', whereErrors: 'stop' },
    { say: () => {}, nowMs: 0 },
  )
  const records = [
    { id: 'a', name: '\ud800' },
    { id: 'b', name: '\ud83d\ude00\\ud800' },
    { id: 'c', '\udc00': 'x\udfffy' },
  ]
  expect(await where?.keep(records)).toEqual(records)
  expect(await query?.whole('["\\uD83D\\uDE00\\uD83D","\\\\ud800"]')).toEqual([['\u{1f600}\ufffd', '\\ud800']])
  expect(await query?.each(records)).toEqual([
    [{ id: 'a', name: '\ufffd' }],
    [records[1]],
    [{ id: 'c', '\ufffd': 'x\ufffdy' }],
  ])
})

test.each([
  ['objects', '{"a":', '}', 255],
  ['lists', '[', ']', 255],
])(
  'a record with more %s in each other than jq reads is an error that names it, or is left out',
  async (_, open, close, most) => {
    const deep = (levels: number) => JSON.parse(`${open.repeat(levels)}1${close.repeat(levels)}`)
    const { where, query } = await compileExpressions(
      { where: '.id != "z"', jq: '.id', whereErrors: 'stop' },
      { say: () => {}, nowMs: 0 },
    )
    const records = [{ id: 'a' }, { id: 'b', deep: deep(most - 1) }, { id: 'c', deep: deep(most) }, { id: 'd' }]
    await expect(where?.keep(records)).rejects.toThrow('--where fails on record "c": nested too deeply for jq')
    await expect(query?.each(records)).rejects.toThrow('--jq fails on record "c": nested too deeply for jq')
    expect(await query?.each([{ id: 2 }])).toEqual([[2]])
    const skipping = await compileExpressions(
      { where: '.id != "z"', jq: undefined, whereErrors: 'skip' },
      { say: () => {}, nowMs: 0 },
    )
    expect((await skipping.where?.keep(records))?.map(({ id }) => id)).toEqual(['a', 'b', 'd'])
    expect(skipping.where?.leftOut()).toMatch(/^Left out: 1 record that --where fails on, record "c"/)
  },
)

test.each([
  ['65 | ascii', ['A']],
  ['have_literal_numbers', [true]],
  ['$__loc__.line', [1]],
  ['1 |\n$__loc__.line', [2]],
  ['def ascii: "mine"; ascii', ['mine']],
])('%j is %j, as in the manual of jq 1.8', async (jq, expected) => {
  expect(await results(jq, '{}')).toEqual(expected)
})

test('a number that a double cannot hold passes an expression with its digits, as have_literal_numbers states', async () => {
  expect(JSON.stringify(await results('.id', '{"id":100000000000000000000000001}'))).toBe(
    '[100000000000000000000000001]',
  )
})

// jq reads a line in parts of 4,095 bytes.
test.each([4094, 4095, 4096, 8189, 8190, 8191, 36855])('an input of %i bytes is followed by others', async (bytes) => {
  const jq = await loadJq()
  const input = JSON.stringify(['x'.repeat(bytes - '[""]'.length)])
  expect(input).toHaveLength(bytes)
  for (let run = 0; run < 3; run++)
    expect(await jq.run(['-c', 'length'], input)).toEqual({ exit: 0, stdout: '1', stderr: '' })
})

test.each(['', ' ', '\n', '\r\n\t', '\n\n'])('a value before %j is followed by others', async (end) => {
  for (const bytes of [100, 4093, 4094, 4095]) {
    const jq = await loadJq()
    const input = `{"text":\n"${'x'.repeat(bytes - '""}'.length)}"}${end}`
    for (let run = 0; run < 3; run++)
      expect(await jq.run(['-c', 'length'], input)).toEqual({ exit: 0, stdout: '1', stderr: '' })
  }
})

test.each(['.company = "x"', '.amount>1 and .company="x"', '.a |= 1', '.a += 1', '.a //= 1', '.b == 1 | .a = 2'])(
  '%s is rejected as a condition, and the hint names the comparison',
  (text) => {
    expect(() => refuseAssignment(text)).toThrow(
      expect.objectContaining({ code: 'usage', details: { hint: expect.stringContaining('== compares') } }),
    )
  },
)

test.each([
  '.company == "x"',
  '.a >= 1 and .b <= 2 and .c != 3',
  '.name == "a = b"',
  '.a |= ascii_downcase | .a == "x"',
  'def low: .a |= ascii_downcase; low.a == "x"',
  'reduce .tags[] as $tag (0; . += 1) > 2',
  '.a == 1 # not =',
])('%s is a condition', (text) => {
  expect(() => refuseAssignment(text)).not.toThrow()
})

test.each([
  ['.[', 'syntax error, unexpected end of file at line 1, column 2'],
  ['.a\n| .b c', 'syntax error, unexpected IDENT, expecting end of file at line 2, column 6'],
  ['1) | (2', 'syntax error, unexpected INVALID_CHARACTER, expecting end of file at line 1, column 2'],
])('a mistake in %j is reported at its place in it', async (where, reason) => {
  await expect(
    compileExpressions({ where, jq: undefined, whereErrors: 'stop' }, { say: () => {}, nowMs: 0 }),
  ).rejects.toThrow(`--where ${JSON.stringify(where)} is not a jq expression: ${reason}`)
})

test('an expression whose constants do not fit into memory says so', async () => {
  await expect(
    compileExpressions({ where: '"x" * 1e9', jq: undefined, whereErrors: 'stop' }, { say: () => {}, nowMs: 0 }),
  ).rejects.toThrow('--where fails: jq ran out of memory')
})
