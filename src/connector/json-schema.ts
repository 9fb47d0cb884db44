import { z } from 'zod'
import type { JsonSchema } from '../core/json.ts'
import { CONNECTOR } from './format.ts'
import { having } from './format-parts.ts'

/** `schemas/connector.json`. A connector that changes another one inherits its objects. */
export function connectorSchema(): JsonSchema {
  const { required, ...schema } = jsonSchemaOf(CONNECTOR, 'crm connector')
  const own = (required as readonly string[]).filter((name) => name !== 'objects')
  return { ...schema, required: own, if: having('extends'), else: having('objects') }
}

/** The JSON Schema (2020-12) of a format, with which an editor checks a file while it is written. */
export function jsonSchemaOf(format: z.ZodType, title: string): JsonSchema {
  const { $schema, $ref, $defs = {} } = z.toJSONSchema(format) as Schema
  const { [String($ref).replace(/^.*\//, '')]: root, ...others } = $defs
  const definitions = Object.entries(others).map(([name, each]) => [name, withNulls(each)] as const)
  const sorted = definitions.toSorted(([one], [other]) => one.localeCompare(other))
  return { $schema, title, ...withNulls(root ?? {}), $defs: Object.fromEntries(sorted) } as JsonSchema
}

interface Schema {
  readonly [name: string]: unknown
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | false
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** Null removes a member that need not be there, so that a connector can take one away from what it extends. */
function withNulls({ id: _, ...schema }: Schema): Schema {
  const { properties, required = [], additionalProperties, items, anyOf } = schema
  const named = Object.entries(properties ?? {}).map(([name, each]) => {
    const inner = withNulls(each)
    return [name, required.includes(name) ? inner : orNull(inner)] as const
  })
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(named) }),
    ...(additionalProperties && { additionalProperties: orNull(withNulls(additionalProperties)) }),
    ...(items && { items: withNulls(items) }),
    ...(anyOf && { anyOf: anyOf.map(withNulls) }),
  }
}

const NULL = { type: 'null' } as const

function orNull({ description, ...schema }: Schema): Schema {
  const shapes = schema.anyOf ?? [schema]
  if (shapes.some(({ type }) => type === 'null'))
    return { ...(description !== undefined && { description }), anyOf: shapes }
  return {
    ...(description !== undefined && { description }),
    ...(schema.type === undefined && schema.$ref === undefined && !schema.anyOf && !schema.enum
      ? schema
      : { anyOf: [...shapes, NULL] }),
  }
}
