import {
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql'
import { parseExactJson } from '../../core/exact-json.ts'
import { exactDigits, isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** Scalars that read the exact digits of a number; others read a JavaScript number. */
const EXACT: readonly string[] = ['Decimal', 'JSON']

/** Converts variables with exact numbers to the types of the operation. */
export function convertVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  sent: JsonObject,
): JsonObject {
  const converted: JsonObject = { ...sent }
  for (const { variable, type: node } of variableDefinitions) {
    const type = typeFromAST(schema, node)
    const value = sent[variable.name.value]
    if (value !== undefined && isInputType(type)) converted[variable.name.value] = convert(type, value)
  }
  return converted
}

function convert(type: GraphQLInputType, value: JsonValue): JsonValue {
  if (isNonNullType(type)) return convert(type.ofType, value)
  if (isListType(type)) {
    return Array.isArray(value) ? value.map((each) => convert(type.ofType, each)) : convert(type.ofType, value)
  }
  if (isInputObjectType(type)) return isJsonObject(value) ? convertMembers(type.getFields(), value) : value
  const digits = EXACT.includes(type.name) ? undefined : exactDigits(value)
  // A number beyond the range of a double is kept, and rejected with its digits.
  return digits === undefined ? value : parseExactJson(digits)
}

function convertMembers(
  fields: Readonly<Record<string, { readonly type: GraphQLInputType }>>,
  value: JsonObject,
): JsonObject {
  const members = Object.entries(value).map(([name, member]): [string, JsonValue] => {
    const field = fields[name]
    return [name, field ? convert(field.type, member) : member]
  })
  return Object.fromEntries(members)
}
