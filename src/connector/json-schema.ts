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
  const { $schema, $ref, $defs = {} } = z.toJSONSchema(format, { io: 'input' }) as Schema
  const { [String($ref).replace(/^.*\//, '')]: root, ...others } = $defs
  const definitions = Object.entries(others).map(([name, each]) => [name, withoutId(each)] as const)
  const sorted = definitions.toSorted(([one], [other]) => one.localeCompare(other))
  return { $schema, title, ...withoutId(root ?? {}), $defs: Object.fromEntries(sorted) } as JsonSchema
}

interface Schema {
  readonly [name: string]: unknown
  readonly $defs?: Readonly<Record<string, Schema>>
}

function withoutId({ id: _, ...schema }: Schema): Schema {
  return schema
}
