import { expect, test } from 'vitest'
import { readOperations } from '../../../src/commands/graphql/operations.ts'

test.each([
  ['{ a b { c } }', [{ type: 'query', name: undefined, variables: [], fields: ['a', 'b'] }]],
  [
    'query Q($a: Int = {b: 1}, $c: [String!]! @x) @y(z: 1) { one: two(x: $a) ... on T { skip } ...F }',
    [{ type: 'query', name: 'Q', variables: ['a', 'c'], fields: ['two'] }],
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

test('the outline of a large document takes no longer than its length lets one expect, whatever is in it', () => {
  for (const piece of ['{ ', '" ', '"""', 'a(', '# x\n', '$', '{ a } ']) {
    const startMs = performance.now()
    readOperations(piece.repeat(Math.floor(1_000_000 / piece.length)))
    expect(performance.now() - startMs).toBeLessThan(2000)
  }
})
