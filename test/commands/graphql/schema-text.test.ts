import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  graphqlSync,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { expect, test as plainTest } from 'vitest'
import { type IntrospectedSchema, introspectedText, SCHEMA_QUERY } from '../../../src/commands/graphql/schema-text.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { test } from '../../harness/shared-service.ts'

const SCHEMA = buildSchema(`
schema { query: Root }
directive @cost(value: Int = 1) on FIELD_DEFINITION | OBJECT
"""
Two
lines with \\"""
"""
type Root implements Node & Named {
  id: ID!
  name(long: Boolean = false, tags: [String!]! = ["a"]): String @deprecated(reason: "say \\"x\\"")
  all(by: Order = {by: NAME}): [[Any!]!]!
}
interface Node { id: ID! }
interface Named implements Node { id: ID! name(long: Boolean = false, tags: [String!]! = ["a"]): String @deprecated(reason: "x") }
union Any = Root | Other
"ends with a quote \\""
type Other { at: Time }
scalar Time
enum By { "By name." NAME OLD @deprecated }
input Order { by: By!, desc: Boolean = true }
`)

function textOf(schema: typeof SCHEMA): string {
  const { data } = graphqlSync({ schema, source: SCHEMA_QUERY })
  return introspectedText((data as unknown as { __schema: IntrospectedSchema }).__schema)
}

plainTest('graphql reads the text as the same schema, with descriptions, defaults and deprecations', () => {
  expect(printSchema(lexicographicSortSchema(buildSchema(textOf(SCHEMA))))).toBe(
    printSchema(lexicographicSortSchema(SCHEMA)),
  )
})

test('crm graphql --sdl prints the schema of the server, which graphql reads as the one it serves', async ({
  service,
}) => {
  const text = await crmPrints(['graphql', '--sdl'], service.env)
  const whole = JSON.parse(await crmPrints(['graphql', getIntrospectionQuery({ typeDepth: 5 })], service.env))
  const served = printSchema(lexicographicSortSchema(buildClientSchema(whole.data)))
  expect(printSchema(lexicographicSortSchema(buildSchema(text)))).toBe(served)
  const asked = JSON.parse(await crmPrints(['graphql', '--sdl', '-o', 'json'], service.env))
  expect(asked.data.__schema.queryType).toEqual({ name: 'Query' })
})

test('crm graphql needs a query or --sdl, and not both', async ({ service }) => {
  for (const args of [[], ['{ a }', '--sdl']]) {
    const { exit, stderr } = await crm(['graphql', ...args], service.env)
    expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining('--sdl') })
  }
})
