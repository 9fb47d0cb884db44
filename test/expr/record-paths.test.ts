import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../../src/core/json.ts'
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
])('%s takes %j from the record', (program, names) => {
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
])('%s takes %j from the records of a list', (program, names) => {
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

/** Programs of every construct that the rules know, and of some that they do not. */
const { program: programs } = fc.letrec<{ program: string; term: string }>((tie) => {
  const name = fc.constantFrom('a', 'b', 'c')
  const [program, term] = [tie('program'), tie('term')]
  const make = (shape: string, ...parts: fc.Arbitrary<string>[]) =>
    fc.tuple(...parts).map((texts) => texts.reduce((text, part, at) => text.replaceAll(`<${at}>`, part), shape))
  return {
    term: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      make('.<0>', name),
      make('."<0>"', name),
      make('.["<0>"]', name),
      make('.<0>.<1>', name, name),
      fc.constantFrom('.', '.[]?', '.[0]?', '.[1:]?', '1', '"x"', 'null', 'length?', '$v', 'keys?', 'not'),
      make('(<0>)', program),
      make('[<0>]', program),
      make('{<0>, <1>: <2>}', name, name, term),
      make('{"<0>", (<1> | tojson): <2>}', name, term, term),
      make('"\\(<0>) and \\(<1>)"', program, program),
      make('if <0> then <1> else <2> end', program, program, program),
      make('try <0> catch <1>', term, term),
      make('reduce (<0>) as $w (<1>; <2>)', program, term, term),
      make('reduce (<0>) as {$a} (<1>; $a.<2>?)', program, term, name),
      make('(<0> as $v | <1>)', term, program),
      make('(. as $v | <0> | $v.<1>)', term, name),
      make('(<0> as {<1>: $v, $b} | <2>)', term, name, program),
      make('(<0> as {<1>: {"<2>": $v}} | <3>)', term, name, name, program),
      make('(<0> as [$v, {a: $w}] | <1>)', term, program),
      make('(def f: <0>; <1> | f)', program, program),
      make('(def f: <0>; f <1> f)', program, fc.constantFrom('|', ',', '==', '=', '|=', '//')),
      make('(def f(g): <0>; def h: <1>; f(h) | <2>)', program, program, program),
      make('(def f(g): <0> | g; f(<1>), (<2> | f(.<3>)))', program, program, program, name),
      make('(def f($v): <0>; f(<1>))', program, program),
      make('(def select(g): g; <0> | select(<1>))', program, program),
      make('getpath(["<0>", "<1>"])?', name, name),
      make('getpath([<0>])?', program),
      fc.constantFrom('$v.a?', '$v[0]?'),
      make(
        '<0>(<1>)',
        fc.constantFrom('select', 'map', 'any', 'all', 'first', 'isempty', 'walk', 'with_entries'),
        program,
      ),
      make(
        '<0>(<1>)',
        fc.constantFrom('sort_by', 'group_by', 'unique_by', 'min_by', 'max_by', 'map_values', 'IN'),
        program,
      ),
      make('<0>(<1>; <2>)', fc.constantFrom('any', 'limit', 'IN', 'sub', 'until'), program, program),
      make('[<0>]?', program),
      make('<0>[<1>]?', term, program),
      make('-<0>', term),
    ),
    program: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      term,
      make('<0> | <1>', program, program),
      make(
        '<0> <2> <1>',
        term,
        program,
        fc.constantFrom('==', '//', 'and', 'or', '+', ',', '<', '=', '|=', '+=', '//='),
      ),
      make('label $out | <0>', program),
      make('<0> # <1>\n', term, name),
    ),
  }
})

const RECORD = {
  a: { a: 1, b: 'x', c: [1, { a: 2 }] },
  b: [
    { a: 'y', b: 2 },
    { a: 'z', c: 3 },
  ],
  c: 'text',
}

/** Each member twice, under its name and as its twin. */
function withTwins(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withTwins)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => [
      [name, withTwins(member)],
      [`${name}_twin`, withTwins(member)],
    ]),
  )
}

/** The same program, but what it is said to take from the record it takes from the twins. */
function askTwins(program: string, sees: 'record' | 'list'): string {
  const byStart = new Map(recordPaths(program, sees).uses.map((use) => [use.start, use]))
  const uses = [...byStart.values()].toSorted((one, other) => other.start - one.start)
  return uses.reduce((text, { start, end, isShorthand }) => {
    const word = text.slice(start, end)
    const twin = word.endsWith('"') ? `${word.slice(0, -1)}_twin"` : `${word}_twin`
    const name = word.replaceAll('"', '')
    if (word.startsWith('$')) return `${text.slice(0, start)}${name.slice(1)}_twin:${text.slice(start)}`
    return text.slice(0, start) + (isShorthand ? `${word}:.${name}_twin` : twin) + text.slice(end)
  }, program)
}

test.each(['record', 'list'] as const)(
  'what is said to be taken from a %s is: real jq gives the same when it is taken from a twin of each member',
  async (sees) => {
    const jq = await loadJq()
    const json = JSON.stringify(
      sees === 'list' ? [withTwins(RECORD), withTwins({ ...RECORD, c: 5 })] : withTwins(RECORD),
    )
    const run = async (program: string) => {
      const { exit, stdout } = await jq.run(['-c', `[limit(50; 0 as $v | (${program}\n))]`], json)
      return { exit, stdout }
    }
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const twin = askTwins(program, sees)
        fc.pre(twin !== program)
        const expected = await run(program)
        // Of those that jq does not compile nothing is asked.
        fc.pre(expected.exit !== 3)
        expect(await run(twin)).toEqual(expected)
      }),
      { numRuns: Number(process.env.CRM_TEST_PROGRAMS ?? 150) },
    )
  },
  1_200_000,
)

test('an expression that the reader does not understand is still run', async () => {
  const query = await createExpression(await loadJq(), {
    flag: '--jq',
    text: '. as [$a] ?// $a | $a',
    say: () => {},
    nowMs: 0,
  })
  expect(await query?.whole('[1]')).toEqual([1])
})
