import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql'
import type { JsonObject } from '../../core/json.ts'
import { Problem } from '../problem.ts'
import { costOf } from './cost.ts'
import { fitVariables } from './variables.ts'

/** The quoted texts and comments of a document, whose brackets count for nothing, and its brackets. */
const BRACKETS = /"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\\r\n])*"|#[^\r\n]*|[([{]|[)\]}]/g

/** Checking is quadratic in places, so the words of a query are counted first: enough for 600 fields. */
const MAX_TOKENS = 2000
const MAX_FIELDS = 50_000
const MAX_DEPTH = 12
const MAX_ERRORS = 20
/** Of brackets: fields in fields with arguments, and in these the JSON that a body may hold. */
const MAX_BRACKETS = 200

const MAX_KEPT = 200
const MAX_KEPT_CHARS = 8 * 1024

export interface Asked {
  readonly query: string
  readonly operationName: string | undefined
  /** Numbers in them are as they were written. */
  readonly variables: JsonObject
}

export interface Opened {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** As the types of the operation take them. */
  readonly variables: JsonObject
}

export interface Documents {
  /** Faults for what is no query of the schema, and for what would cost too much; a Problem for what cannot be parsed safely. */
  open(asked: Asked): Opened | readonly GraphQLError[]
}

/** What clients send again and again is parsed and checked once. */
export function openDocuments(schema: GraphQLSchema): Documents {
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
    open: ({ query, operationName, variables: sent }) => {
      const document = checked(query)
      if (!('kind' in document)) return document
      const operation = getOperationAST(document, operationName)
      if (!operation) return [refusal('invalid_query', noOperation(operationName))]
      const variables = fitVariables(schema, operation, sent)
      const { fields, depth } = costOf(schema, document, operation, variables)
      if (depth > MAX_DEPTH)
        return [refusal('query_too_deep', `the query is ${depth} levels deep, ${MAX_DEPTH} are allowed`)]
      if (fields <= MAX_FIELDS) return { document, operation, variables }
      const detail = `the answer may have ${fields} fields, ${MAX_FIELDS} are allowed: ask for less at once`
      return [refusal('query_too_costly', detail)]
    },
  }
}

/** graphql-js gives up on comparing fields of one name in one selection pair by pair, and says no more than this. */
const GIVEN_UP = 'Validation aborted.'

function explained(fault: GraphQLError): GraphQLError {
  if (fault.message !== GIVEN_UP) return withCode(fault, 'invalid_query')
  return refusal(
    'query_too_costly',
    'the query names the same field too often to be checked: name it once, or use aliases',
  )
}

/** The same error under a code of ours, by which a program can tell it. */
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
  return new Problem(400, {
    code: 'query_too_deep',
    detail,
    errors: [{ pointer: '#/query', code: 'too_deep', detail }],
  })
}

function noOperation(name: string | undefined): string {
  if (name === undefined) return 'the query has several operations: name one as operationName'
  return `the query has no operation ${JSON.stringify(name)}`
}

function refusal(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } })
}

/**
 * Whether brackets stand in each other more than `limit` deep. Whoever parses such a document calls itself for each of them,
 * and a stack that V8 has not optimised yet has no room for two thousand.
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
