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

/** Scalars that take a number by its digits; the others want one of JavaScript's. */
const EXACT: readonly string[] = ['Decimal', 'JSON']

/** Variables as they were sent, digits and all, made into what the types of the operation take. */
export function fitVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  sent: JsonObject,
): JsonObject {
  const fitting: JsonObject = { ...sent }
  for (const { variable, type: node } of variableDefinitions) {
    const type = typeFromAST(schema, node)
    const value = sent[variable.name.value]
    if (value !== undefined && isInputType(type)) fitting[variable.name.value] = fit(type, value)
  }
  return fitting
}

function fit(type: GraphQLInputType, value: JsonValue): JsonValue {
  if (isNonNullType(type)) return fit(type.ofType, value)
  if (isListType(type)) {
    return Array.isArray(value) ? value.map((each) => fit(type.ofType, each)) : fit(type.ofType, value)
  }
  if (isInputObjectType(type)) return isJsonObject(value) ? fitMembers(type.getFields(), value) : value
  const digits = EXACT.includes(type.name) ? undefined : exactDigits(value)
  // One that no double carries stays as it is, and is refused under its own digits.
  return digits === undefined ? value : parseExactJson(digits)
}

function fitMembers(
  fields: Readonly<Record<string, { readonly type: GraphQLInputType }>>,
  value: JsonObject,
): JsonObject {
  const members = Object.entries(value).map(([name, member]): [string, JsonValue] => {
    const field = fields[name]
    return [name, field ? fit(field.type, member) : member]
  })
  return Object.fromEntries(members)
}
