import {
  type DocumentNode,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getOperationAST,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
  validate,
} from 'graphql'
import { exactDigits, isJsonObject, type JsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'
import { Problem } from '../problem.ts'
import { costOf } from './cost.ts'

/** Scalars that read the exact digits of a number; others read a JavaScript number. */
const EXACT: readonly string[] = ['Decimal', 'JSON']

/** The brackets of a document, and the strings and comments in which brackets do not count. */
const BRACKETS = /"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\\r\n])*"|#[^\r\n]*|[([{]|[)\]}]/g

/** Validation is partly quadratic, so the tokens of a query are limited first: enough for 600 fields. */
const MAX_TOKENS = 2000
const MAX_FIELDS = 50_000
const MAX_DEPTH = 12
const MAX_ERRORS = 20
/** Levels of brackets: nested fields with arguments, and JSON in arguments. */
const MAX_BRACKETS = 200

const MAX_KEPT = 200
const MAX_KEPT_CHARS = 8 * 1024

export interface SentQuery {
  readonly query: string
  readonly operationName: string | undefined
  /** Numbers keep their written digits. */
  readonly variables: JsonObject
}

export interface CheckedQuery {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** Converted to the types of the operation. */
  readonly variables: JsonObject
}

/** Caches parsed and validated queries. */
export function openDocuments(schema: GraphQLSchema) {
  const kept = new Map<string, DocumentNode>()
  const checked = (query: string): DocumentNode | readonly GraphQLError[] => {
    const before = kept.get(query)
    if (before) return before
    if (isNestedDeeper(query, MAX_BRACKETS)) throw tooDeep()
    const document = parsed(query)
    if (document instanceof GraphQLError) return [document]
    const faults = validate(schema, document, undefined, { maxErrors: MAX_ERRORS })
    if (faults.length > 0) return faults.map(explained)
    if (query.length <= MAX_KEPT_CHARS) {
      const [oldest] = kept.keys()
      if (oldest !== undefined && kept.size >= MAX_KEPT) kept.delete(oldest)
      kept.set(query, document)
    }
    return document
  }
  return {
    /** Returns errors for an invalid or too expensive query. Throws a Problem for a query that cannot be parsed safely. */
    open: ({ query, operationName, variables: sent }: SentQuery): CheckedQuery | readonly GraphQLError[] => {
      const document = checked(query)
      if (!('kind' in document)) return document
      const operation = getOperationAST(document, operationName)
      if (!operation) return [refusal('invalid_query', noOperation(operationName))]
      const variables = convertVariables(schema, operation, sent)
      const { fields, depth } = costOf(schema, document, operation, variables)
      if (depth > MAX_DEPTH)
        return [refusal('query_too_deep', `the query is ${depth} levels deep, expected at most ${MAX_DEPTH}`)]
      if (fields <= MAX_FIELDS) return { document, operation, variables }
      const detail = `the response may have ${fields} fields, expected at most ${MAX_FIELDS}; request fewer records or fields`
      return [refusal('query_too_costly', detail)]
    },
  }
}

/** The message of graphql-js when it stops comparing fields of the same name in a selection. */
const VALIDATION_ABORTED = 'Validation aborted.'

function explained(fault: GraphQLError): GraphQLError {
  if (fault.message !== VALIDATION_ABORTED) return withCode(fault, 'invalid_query')
  return refusal(
    'query_too_costly',
    'the query repeats a field too often to be validated; name it once, or use aliases',
  )
}

/** The same error with a code for programs. */
function withCode({ message, nodes, source, positions }: GraphQLError, code: string): GraphQLError {
  return new GraphQLError(message, { nodes, source, positions, extensions: { code } })
}

function parsed(query: string): DocumentNode | GraphQLError {
  try {
    return parse(query, { maxTokens: MAX_TOKENS })
  } catch (error) {
    if (error instanceof GraphQLError) return withCode(error, 'malformed_query')
    throw error
  }
}

function tooDeep(): Problem {
  const detail = `the query has brackets more than ${MAX_BRACKETS} levels deep`
  return new Problem(400, 'query_too_deep', detail, { errors: [{ pointer: '#/query', code: 'too_deep', detail }] })
}

function noOperation(name: string | undefined): string {
  if (name === undefined) return 'the query has several operations: name one as operationName'
  return `the query has no operation ${JSON.stringify(name)}`
}

function refusal(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } })
}

/**
 * Whether brackets are nested more than `limit` deep. The parser recurses for each level, and about two thousand unoptimised
 * frames overflow the stack of V8.
 */
function isNestedDeeper(query: string, limit: number): boolean {
  let depth = 0
  for (const [found] of query.matchAll(BRACKETS)) {
    if ('([{'.includes(found)) depth += 1
    else if (')]}'.includes(found)) depth -= 1
    if (depth > limit) return true
  }
  return false
}

/** Converts variables with exact numbers to the types of the operation. */
function convertVariables(
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
