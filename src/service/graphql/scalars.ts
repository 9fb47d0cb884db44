import { type ConstObjectFieldNode, type ConstValueNode, GraphQLError, type GraphQLSchema, Kind } from 'graphql'
import { exactDigits } from '../../core/json.ts'
import { type JsonNode, JsonTextError, nodeText, parseJsonText } from '../json-text.ts'
import { quotedText } from '../problem.ts'
import { parseTimeMs } from '../resources/filters.ts'
import { JsonValueText } from './query-context.ts'

/** The functions of a custom scalar, assigned to the GraphQLScalarType of a schema built from text. */
interface Scalar {
  coerceOutputValue?(value: unknown): unknown
  coerceInputValue(value: unknown): unknown
  coerceInputLiteral(node: ConstValueNode): unknown
  valueToLiteral?(value: unknown): ConstValueNode
}

const json: Scalar = {
  coerceOutputValue: (value) => value,
  coerceInputValue: (value) => checkedJson(JSON.stringify(value)),
  coerceInputLiteral: (node) => checkedJson(literalText(node)),
  valueToLiteral: (value) => literalOf(parseJsonText(JSON.stringify(value))),
}

const decimal: Scalar = {
  coerceOutputValue: (value) => value,
  coerceInputValue: (value) => {
    if (typeof value === 'number' || exactDigits(value) !== undefined) return checkedJson(JSON.stringify(value))
    throw new GraphQLError(`expected a number, got ${quotedText(JSON.stringify(value))}`)
  },
  coerceInputLiteral: (node) => {
    if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return checkedJson(node.value)
    throw new GraphQLError('expected a number', { nodes: node })
  },
  valueToLiteral: (value) => ({ kind: Kind.FLOAT, value: JSON.stringify(value) }),
}

const dateTime: Scalar = {
  coerceInputValue: checkedTime,
  coerceInputLiteral: (node) => checkedTime(node.kind === Kind.STRING ? node.value : undefined),
}

/** Adds the custom scalars to a schema built from text. */
export function addScalars(schema: GraphQLSchema): void {
  for (const [name, scalar] of Object.entries({ JSON: json, Decimal: decimal, DateTime: dateTime })) {
    Object.assign(schema.getType(name) ?? {}, scalar)
  }
}

function checkedTime(value: unknown): string {
  if (typeof value === 'string' && parseTimeMs(value) !== undefined) return value
  throw new GraphQLError(
    `expected a time such as 2026-01-31T09:30:00Z (RFC 3339), got ${quotedText(JSON.stringify(value) ?? 'no string')}`,
  )
}

function checkedJson(text: string): JsonValueText {
  try {
    return new JsonValueText(nodeText(parseJsonText(text)))
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error
    throw new GraphQLError(`invalid JSON value: ${error.message}`)
  }
}

function literalText(node: ConstValueNode): string {
  if (node.kind === Kind.LIST) return `[${node.values.map(literalText).join(',')}]`
  if (node.kind === Kind.OBJECT) {
    return `{${node.fields.map(({ name, value }) => `${JSON.stringify(name.value)}:${literalText(value)}`).join(',')}}`
  }
  if (node.kind === Kind.NULL) return 'null'
  if (node.kind === Kind.STRING || node.kind === Kind.ENUM) return JSON.stringify(node.value)
  return `${node.value}`
}

/** For a variable in a literal, as in `json: { tags: $tags }`. */
function literalOf(node: JsonNode): ConstValueNode {
  if (typeof node !== 'string') {
    const fields = [...node].map(
      ([name, value]): ConstObjectFieldNode => ({
        kind: Kind.OBJECT_FIELD,
        name: { kind: Kind.NAME, value: name },
        value: literalOf(value),
      }),
    )
    return { kind: Kind.OBJECT, fields }
  }
  if (node.startsWith('[')) {
    const items = JSON.parse(node) as unknown[]
    return { kind: Kind.LIST, values: items.map((item) => literalOf(parseJsonText(JSON.stringify(item)))) }
  }
  if (node.startsWith('"')) return { kind: Kind.STRING, value: JSON.parse(node) as string }
  if (node === 'true' || node === 'false') return { kind: Kind.BOOLEAN, value: node === 'true' }
  return node === 'null' ? { kind: Kind.NULL } : { kind: Kind.FLOAT, value: node }
}
