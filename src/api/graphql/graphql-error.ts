import { CrmError, type ErrorCode } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { oneLine } from '../errors/one-line.ts'

/** By `extensions.code`, if a server uses the codes of its REST API; others are `rejected`. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  not_found: 'not_found',
  unauthorized: 'unauthorized',
  unauthenticated: 'unauthorized',
  invalid_token: 'unauthorized',
  forbidden: 'forbidden',
  insufficient_scope: 'forbidden',
  precondition_failed: 'precondition_failed',
  invalid_values: 'invalid_values',
  conflict: 'conflict',
  rate_limited: 'rate_limited',
}

export interface GraphqlFailure {
  readonly errors: readonly JsonObject[]
  /** Completes "cannot ...: <messages>". */
  readonly action: string
  readonly hint: string
  /** For a record that does not exist; default: `hint`. */
  readonly findHint?: string
}

/** The errors of an answer as one, with the code of the first. */
export function graphqlError({ errors, action, hint, findHint = hint }: GraphqlFailure): CrmError {
  const messages = [...new Set(errors.map(({ message }) => String(message)))].join('; ')
  const [first] = errors
  const extensions = isJsonObject(first?.extensions) ? first.extensions : {}
  const code = CODES[String(extensions.code).toLowerCase()] ?? 'rejected'
  const requestId = extensions.request_id
  return new CrmError(code, `cannot ${oneLine(action, 200)}: ${oneLine(messages)}`, {
    hint: code === 'not_found' ? findHint : hint,
    ...(typeof extensions.status === 'number' ? { status: extensions.status } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
  })
}

/** Each has a message, which is all that the specification requires (GraphQL, section 7.1.2). */
export function errorsIn(json: JsonValue | undefined): readonly JsonObject[] | undefined {
  if (!isJsonObject(json) || !Array.isArray(json.errors)) return undefined
  const errors = json.errors.filter(isJsonObject)
  return errors.length > 0 && errors.every(({ message }) => typeof message === 'string') ? errors : undefined
}
