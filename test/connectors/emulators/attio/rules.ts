import { Ajv, type ErrorObject } from 'ajv'
import { type Answer, type Call, Refusal, type Row } from '../emulator.ts'

/** The slug of an object, or another list of the workspace: statuses, members, notes, tasks, webhooks. */
export type AttioKind = string

type ErrorCode =
  | 'not_found'
  | 'value_not_found'
  | 'missing_value'
  | 'validation_type'
  | 'filter_error'
  | 'uniqueness_conflict'
  | 'slug_conflict'
  | 'multiple_match_results'
  | 'matching_attribute_definition_not_unique'

export function failure(status: number, type: string, code: string, message: string): Answer {
  return { status, body: { status_code: status, type, code, message } }
}

export function refuse(status: 400 | 404 | 409, code: ErrorCode, message: string): never {
  throw new Refusal(failure(status, 'invalid_request_error', code, message))
}

export function notFound(thing: string, id: string): never {
  return refuse(404, 'not_found', `${thing} "${id}" was not found.`)
}

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true })

/** The body of a request, which has to fit; what the schema does not name is ignored. */
export function takeBody({ body }: Call, schema: object): Row {
  if (body.type === 'unreadable') return refuse(400, 'validation_type', 'Body payload is not JSON.')
  const value = body.type === 'json' ? body.value : {}
  const validate = ajv.compile(schema)
  return validate(value) ? (value as Row) : invalid('Body payload', (validate.errors ?? []).map(shownError))
}

/** What every write has around its members. */
export function inData(properties: object, required: readonly string[]): object {
  const data = { type: 'object', additionalProperties: false, properties, required }
  return { type: 'object', properties: { data }, required: ['data'] }
}

export interface Page {
  readonly limit: number
  readonly offset: number
}

/** `limit` and `offset` of a query, or of a body. */
export function takePage(given: Row | URLSearchParams, { min = 1, max, unset = max }: PageRule): Page {
  const isQuery = given instanceof URLSearchParams
  const take = (name: 'limit' | 'offset', [least, most, missing]: readonly [number, number, number]): number => {
    const value = isQuery ? (given.get(name) ?? undefined) : given[name]
    if (value === undefined) return missing
    const number = isQuery && /^\d+$/.test(String(value)) ? Number(value) : value
    if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most) return number
    const part = isQuery ? 'Query' : 'Body payload'
    return invalid(part, [{ code: 'invalid_value', path: [name], message: `Must be ${least} to ${most}` }])
  }
  return { limit: take('limit', [min, max, unset]), offset: take('offset', [0, Number.MAX_SAFE_INTEGER, 0]) }
}

export interface PageRule {
  readonly min?: number
  readonly max: number
  /** Without a limit. */
  readonly unset?: number
}

interface ValidationError {
  readonly code: string
  readonly path: readonly string[]
  readonly message: string
}

function invalid(part: string, validation_errors: readonly ValidationError[]): never {
  const { status, body } = failure(400, 'invalid_request_error', 'validation_type', `${part} validation error.`)
  throw new Refusal({ status, body: { ...(body as Row), validation_errors } })
}

function shownError({ keyword, instancePath, message = '', params }: ErrorObject): ValidationError {
  const path = [...instancePath.split('/').slice(1), ...('missingProperty' in params ? [params.missingProperty] : [])]
  return { code: CODES[keyword] ?? 'invalid_type', path, message: keyword === 'required' ? 'Required' : message }
}

const CODES: Readonly<Record<string, string>> = {
  enum: 'invalid_enum_value',
  additionalProperties: 'unrecognized_keys',
  pattern: 'invalid_string',
}

export function ok(data: unknown): Answer {
  return { status: 200, body: { data } }
}

/** RFC 3339 in nanoseconds, of which the clock gives milliseconds. */
export function timeText(ms = Date.now()): string {
  return new Date(ms).toISOString().replace('Z', '000000Z')
}
