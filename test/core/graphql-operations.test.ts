import { expect, test } from 'vitest'
import { readOperations } from '../../src/core/graphql-operations.ts'
import { runs } from '../harness/sample.ts'

test.each([
  ['{ a b { c } }', [{ type: 'query', name: undefined, variables: [], fields: ['a', 'b'] }]],
  [
    'query Q($a: Int = {b: 1}, $c: [String!]! @x) @y(z: 1) { one: two(x: $a) ... on T { skip } ...F }',
    [{ type: 'query', name: 'Q', variables: ['a', 'c'], fields: ['two', 'skip'] }],
  ],
  [
    'fragment F on T { x } mutation { deleteIt(id: "} {") { ok } }',
    [{ type: 'mutation', name: undefined, variables: [], fields: ['deleteIt'] }],
  ],
  [
    '# query Not { x }\nsubscription S { """block " } """ e }',
    [{ type: 'subscription', name: 'S', variables: [], fields: ['e'] }],
  ],
  ['query A { a } query B { b }', ['A', 'B'].map((name) => expect.objectContaining({ name }))],
  ['', []],
  ['{', [{ type: 'query', name: undefined, variables: [], fields: [] }]],
  ['}}} query', []],
])('the outline of %j', (text, operations) => {
  expect(readOperations(text)).toEqual(operations)
})

test.each([
  'mutation { ...F } fragment F on Mutation { deleteIt { ok } }',
  'mutation { ... on Mutation { deleteIt { ok } } }',
  'mutation { ... { deleteIt { ok } } }',
  'mutation { ... @include(if: true) { deleteIt { ok } } }',
  'mutation { ... @ include(if: true) { deleteIt { ok } } }',
  'mutation { ... on Mutation @a(b: {c: 1}) @d { ... { deleteIt } } }',
  'fragment F on M { ...G @x } fragment G on M { ...F gone: deleteIt } mutation { ...F }',
  'mutation { ...on Mutation{...F} } fragment F on Mutation { deleteIt }',
])('a fragment hides no field of %j', (text) => {
  expect(readOperations(text)).toMatchObject([{ type: 'mutation', fields: ['deleteIt'] }])
})

test('fields within a field beside a fragment are not outermost fields', () => {
  const text = 'mutation { ...F a { deleteIt } } fragment F on Mutation { b(c: {d: 1}) { e ... { deleteIt } } }'
  expect(readOperations(text)).toMatchObject([{ fields: ['a', 'b'] }])
})

test('the outline of a large document is read within seconds, whatever it contains', () => {
  for (const piece of ['{ ', '" ', '"""', 'a(', '# x\n', '$', '{ a } ', '...{', '...a ', 'fragment a{...b}']) {
    const startMs = performance.now()
    readOperations(piece.repeat(Math.floor(runs(1_000_000, 200_000) / piece.length)))
    expect(performance.now() - startMs).toBeLessThan(10_000)
  }
})
