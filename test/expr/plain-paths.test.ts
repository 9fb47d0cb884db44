import { expect, test } from 'vitest'
import { createExpression } from '../../src/expr/expression.ts'
import { loadJq } from '../../src/expr/jq.ts'
import { plainPaths } from '../../src/expr/plain-paths.ts'

function used(program: string, sees: 'record' | 'list' = 'record'): string[] {
  return [...new Set(plainPaths(program, sees).uses.map(({ path }) => path.join('/')))]
}

test.each([
  ['.emial == null', ['emial']],
  ['."a b" > 1 and (.["c"] | length) < 3', ['a b', 'c']],
  ['.owner.name == "Ines"', ['owner', 'owner/name']],
  ['.a.["b"]."c"[0]', ['a', 'a/b', 'a/b/c']],
  ['(.name | test("renewal"; "i")) or (.company // "") == "Orbit"', ['name', 'company']],
  ['.updated_at | older_than("90d")', ['updated_at']],
  ['.tags[] | . == "vip"', ['tags']],
  ['.tags | any(.name == "vip")', ['tags']],
  ['if .a then .b elif .c then 1 else .d end', ['a', 'b', 'c', 'd']],
  ['{id, mail: .email, "x": .y.z, (.k): 1, $__loc__, "t"}', ['id', 'email', 'y', 'y/z', 'k', 't']],
  ['"\\(.first) \\("x" + .last)"', ['first', 'last']],
  ['@csv "\\(.a)"', ['a']],
  ['select(.a > 1) | .b', ['a', 'b']],
  ['select(.a > 1).b.c | not', ['a', 'b', 'b/c']],
  ['[.id, .amount] | @tsv', ['id', 'amount']],
  ['[.a, .b][0].c', ['a', 'b']],
  ['.a # .b == 1\n| .c', ['a']],
  ['.a | . == "a" or . == "b"', ['a']],
])('%s reads %j from the record', (program, names) => {
  expect(used(program)).toEqual(names)
})

test.each([
  ['map(.emial)', ['emial']],
  ['.[] | select(.a) | {b}', ['a', 'b']],
  ['map(select(.a).b)', ['a', 'b']],
  ['group_by(.company) | map({company: .[0].company, n: length})', ['company']],
  ['(map(.amount) | add) / length', ['amount']],
  ['.[].id', ['id']],
  ['.name', []],
])('%s reads %j from the records of a list', (program, names) => {
  expect(used(program, 'list')).toEqual(names)
})

test.each([
  'to_entries[] | .key == .value',
  'with_entries(.value)',
  'map(.x)',
  '{a: 1} | .a',
  '.. | .a?',
  'fromjson | .a',
  'def f: .a; f',
  'def map(x): 1; map(.a)',
  '. as $x | $x.a',
  'reduce .tags[] as $tag (0; . + .x)',
  'label $out | .a',
  'try .a catch .b',
  '$__loc__.a',
  '$ENV.PATH',
  'env.PATH',
  '.a = 1',
  '.a |= .b',
  'del(.a)',
  'IN(.a; .b)',
  'getpath(["a"])',
  '[1] | .[0].a',
  'walk(.a)',
  '# \\\n .a',
])('%s: the members are unknown', (program) => {
  expect(used(program)).toEqual([])
})

test('has("vip") marks a member as optional', () => {
  expect(used('has("vip") and .vip')).toEqual([])
  expect(used('(.custom | has("vip")) and .custom.vip == .vap')).toEqual(['custom', 'vap'])
  expect(used('("vip" | in({})) and .vip')).toEqual([])
})

test('an expression that the reader cannot parse is still run', async () => {
  const query = await createExpression(await loadJq(), {
    flag: '--jq',
    text: '. as [$a] ?// $a | $a',
    say: () => {},
    nowMs: 0,
  })
  expect(await query?.whole('[1]')).toEqual([1])
})
