import { expect, test } from 'vitest'
import { createExpression } from '../../src/expr/expression.ts'
import { loadJq } from '../../src/expr/jq.ts'
import { recordPaths } from '../../src/expr/record-paths.ts'

function used(program: string, sees: 'record' | 'list' = 'record'): string[] {
  return [...new Set(recordPaths(program, sees).uses.map(({ path }) => path.join('/')))]
}

test.each([
  ['.emial == null', ['emial']],
  ['."a b" > 1 and (.["c"] | length) < 3', ['a b', 'c']],
  ['.owner.name == "Ines"', ['owner', 'owner/name']],
  ['.a.["b"]."c"[0]', ['a', 'a/b', 'a/b/c']],
  ['(.name | test("renewal"; "i")) or (.company // "") == "Orbit"', ['name', 'company']],
  ['.updated_at | older_than("90d")', ['updated_at']],
  ['. as $record | .a == $record.b', ['a', 'b']],
  ['. as $x | $x.emial == null', ['emial']],
  ['.owner as $o | $o["nmae"] == $o.x', ['owner', 'owner/nmae', 'owner/x']],
  ['. as {emial: $e} | $e == null', ['emial']],
  ['. as {$emial} | $emial == null', ['emial']],
  ['. as {owner: {"nmae": $n}, tags: [$t]} | $n == $t.x', ['owner', 'owner/nmae', 'tags']],
  ['. as {owner: $o} | $o.nmae', ['owner', 'owner/nmae']],
  ['. as $x | {a: 1} | . as $y | $x.b == $y.c', ['b']],
  ['def f: .emial; f == null', ['emial']],
  ['def f: .name; def g: .owner | f; g', ['owner', 'owner/name']],
  ['def f(g): .owner | g; f(.nmae)', ['owner', 'owner/nmae']],
  ['def f($v): .a == $v.c; f(.b)', ['b', 'a', 'b/c']],
  ['def f(x): 1; f(.a) | .b', []],
  ['def select(x): x; select(.a)', ['a']],
  ['def f: def g: .a; .b | g; select(f), f', ['b', 'b/a']],
  ['map_values(def f: .a; f) | 1, (def g: .c; g)', []],
  ['getpath(["emial"])', ['emial']],
  ['getpath(["owner", "nmae"]) == null', ['owner', 'owner/nmae']],
  ['getpath(["tags", 0, "x"]) == null', ['tags']],
  ['getpath([.key])', ['key']],
  ['path(.emial)', ['emial']],
  ['pick(.emial)', ['emial']],
  ['nth(0; .a)', ['a']],
  ['.tags[] | . == "vip"', ['tags']],
  ['.tags | any(.name == "vip")', ['tags']],
  ['if .a then .b elif .c then 1 else .d end', ['a', 'b', 'c', 'd']],
  ['{id, mail: .email, "x": .y.z, (.k): 1, $__loc__, "t"}', ['id', 'email', 'y', 'y/z', 'k', 't']],
  ['"\\(.first) \\("x" + .last)"', ['first', 'last']],
  ['@csv "\\(.a)"', ['a']],
  ['select(.a > 1) | .b', ['a', 'b']],
  ['[.id, .amount] | @tsv', ['id', 'amount']],
  ['[.a, .b][0].c', ['a', 'b']],
  ['reduce .tags[] as $tag (0; . + .x) > .y', ['tags', 'y']],
  ['reduce .owner as $o (.z; . + $o.x) > .y', ['owner', 'z', 'owner/x', 'y']],
  ['try .a catch .b', ['a']],
  ['.a # .b == 1\n| .c', ['a', 'a/c']],
  ['IN(.a; .b)', ['a', 'b']],
  ['.a | . == "a" or . == "b"', ['a']],
  ['first(.a, .b)', ['a', 'b']],
  ['label $out | .a', ['a']],
])('%s reads %j from the record', (program, names) => {
  expect(used(program)).toEqual(names)
})

test.each([
  ['map(.emial)', ['emial']],
  ['.[] | select(.a) | {b}', ['a', 'b']],
  ['group_by(.company) | map({company: .[0].company, n: length})', ['company']],
  ['sort_by(.amount) | reverse | .[:3] | map(.name)', ['amount', 'name']],
  ['[.[] | select(.a)] | map(.b) | add', ['a', 'b']],
  ['(map(.amount) | add) / length', ['amount']],
  ['max_by(.amount).name', ['amount', 'name']],
  ['any(.[]; .a)', ['a']],
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
  'def f: .a; {} | f',
  'def f: .a; f, (tojson | fromjson | f)',
  'def f: .a; 1',
  'def f: .a | f; f',
  'def map(x): 1; map(.a)',
  'def f: .a; f = 1',
  '(1 as $x | 2) | $x.a',
  '. as $x | [1] | . as [$x] | $x.a',
  '$__loc__.a',
  '$ENV.PATH',
  'env.PATH',
  '.a = 1',
  '.a |= .b',
  'del(.a)',
  'getpath(["a"] + ["b"])',
  '{} | getpath(["a"])',
  'keys[] as $k | $k',
  '[1] | .[0].a',
  'walk(.a)',
  '. as {a: $x} ?// [$x] | .b',
  '. as [$x] | $x.b',
  '. as {(1 | tojson): $x} | .b',
  'paths | .a',
  '# \\\n .a',
])('%s: the members are unknown', (program) => {
  expect(used(program)).toEqual([])
})

test('has("vip") marks a member as optional', () => {
  expect(used('has("vip") and .vip')).toEqual([])
  expect(used('(.custom | has("vip")) and .custom.vip == .vap')).toEqual(['custom', 'vap'])
  expect(used('. as $r | ("vip" | in($r)) and .vip')).toEqual([])
  expect(used('def known: has("vip"); known and .vip')).toEqual([])
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
