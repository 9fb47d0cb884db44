import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../../src/core/json.ts'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { withCheckedOrder } from '../../src/expr/expression.ts'
import { compileExpressions } from '../../src/expr/expressions.ts'
import { loadJq } from '../../src/expr/jq.ts'
import { plainPaths } from '../../src/expr/plain-paths.ts'

/** Programs with every construct that the rules cover, and some that they do not. */
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
      make('<0>(<1>; <2>)', fc.constantFrom('any', 'limit', 'IN', 'sub'), program, program),
      // The error ends it after its first step: until(null; null) would run forever.
      make('(try until(<0>; <1> | error) catch .)', program, program),
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

/** Each member twice: under its name and as its twin. */
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

/** The same program, reading the twins of the members that it is expected to read. */
function askTwins(program: string, sees: 'record' | 'list'): string {
  const byStart = new Map(plainPaths(program, sees).uses.map((use) => [use.start, use]))
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
  'the members named as read from a %s are read: real jq gives the same result when it reads their twins',
  async (sees) => {
    const jq = await loadJq()
    const json = JSON.stringify(
      sees === 'list' ? [withTwins(RECORD), withTwins({ ...RECORD, c: 5 })] : withTwins(RECORD),
    )
    const run = async (program: string) => {
      const { exit, stdout } = await jq.run(['-c', `[limit(50; 0 as $v | (${program}\n))]`], json)
      return { exit, stdout }
    }
    const listPrograms = fc
      .tuple(
        fc.constantFrom('map(<0>)', '.[] | <0>', 'map(select(<0>)) | map(<1>)', 'sort_by(<0>) | .[] | <1>'),
        programs,
        programs,
      )
      .map(([shape, one, other]) => shape.replace('<0>', () => `${one}\n`).replace('<1>', () => `${other}\n`))
    await fc.assert(
      fc.asyncProperty(sees === 'list' ? listPrograms : programs, async (program) => {
        const twin = askTwins(program, sees)
        fc.pre(twin !== program)
        const expected = await run(program)
        // Programs that jq does not compile have no result to compare.
        fc.pre(expected.exit !== 3)
        expect(await run(twin)).toEqual(expected)
      }),
      { numRuns: Number(process.env.CRM_TEST_PROGRAMS ?? 150) },
    )
  },
  1_200_000,
)

test('a checked order gives what jq gives, or says what is a text and what a number', async () => {
  const jq = await loadJq()
  const compared = fc
    .tuple(programs, fc.constantFrom('<', '<=', '>', '>='), fc.constantFrom('1', '-1', '"x"'), programs)
    .map(([one, operator, literal, other]) => `(${one}\n) | .a ${operator} ${literal}, (${other}\n)`)
  await fc.assert(
    fc.asyncProperty(fc.oneof(compared, programs), async (program) => {
      const { comparisons } = plainPaths(program, 'record')
      fc.pre(comparisons.length > 0)
      const run = (text: string) => jq.run(['-c', `[limit(50; 0 as $v | (${text}\n))]`], JSON.stringify(RECORD))
      const [plain, checked] = [await run(program), await run(withCheckedOrder(program, comparisons))]
      fc.pre(plain.exit !== 3 && !/\btry\b|\?/.test(program))
      if (checked.exit === 5 && / is the (?:text|number) /.test(checked.stderr)) return
      expect({ ...checked, stderr: '' }).toEqual({ ...plain, stderr: '' })
    }),
    { numRuns: Number(process.env.CRM_TEST_PROGRAMS ?? 150) },
  )
}, 1_200_000)

test('it still works after thousands of pages, and the exit code of the process is unchanged', async () => {
  const { where: chosen } = await compileExpressions(
    { where: '.amount > 5', jq: undefined, whereErrors: 'stop' },
    { say: () => {}, nowMs: 0 },
  )
  const records: readonly CrmRecord[] = [{ id: 'a', amount: 1 }, { id: 'b', amount: 20 }, { id: 'c' }]
  for (let page = 0; page < 2_000; page++) expect(await chosen?.keep(records)).toHaveLength(1)
  expect(process.exitCode ?? 0).toBe(0)
})
