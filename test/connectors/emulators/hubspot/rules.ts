import { randomUUID } from 'node:crypto'
import { Ajv } from 'ajv'
import { type Answer, type Call, Refusal, type Row } from '../emulator.ts'

export interface ErrorBody extends Row {
  readonly message: string
  readonly category: string
}

export function failure(status: number, category: string, message: string, others: Row = {}): Answer {
  return { status, body: { status: 'error', message, correlationId: randomUUID(), category, ...others } }
}

export function refuse(status: number, category: string, message: string, others?: Row): never {
  throw new Refusal(failure(status, category, message, others))
}

export function invalid(message: string, others?: Row): never {
  return refuse(400, 'VALIDATION_ERROR', message, others)
}

export function notFound(): never {
  return refuse(404, 'OBJECT_NOT_FOUND', 'resource not found')
}

export interface PropertyError {
  readonly name: string
  readonly error:
    | 'PROPERTY_DOESNT_EXIST'
    | 'READ_ONLY_VALUE'
    | 'INVALID_EMAIL'
    | 'INVALID_OPTION'
    | 'INVALID_LONG'
    | 'INVALID_NUMBER'
    | 'INVALID_DATE'
    | 'CONFLICTING_UNIQUE_VALUE'
  readonly message: string
}

/** The message repeats the errors as JSON. */
export function invalidProperties(errors: readonly PropertyError[]): never {
  const listed = errors.map((one) => ({ isValid: false, ...one, localizedErrorMessage: one.message }))
  return invalid(`Property values were not valid: ${JSON.stringify(listed)}`, {
    errors: errors.map(({ name, error, message }) => ({ message, code: error, context: { propertyName: [name] } })),
  })
}

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true })

/** The body of a request, which has to fit; what the schema does not name is ignored. */
export function takeBody<Body>({ body }: Call, schema: object): Body {
  if (body.type !== 'json') return invalid('Invalid input JSON')
  const validate = ajv.compile(schema)
  if (validate(body.value)) return body.value as Body
  const said = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  return invalid(`Invalid input JSON: ${said.join(', ')}`)
}

/** Milliseconds, in UTC. */
export function timeText(ms = Date.now()): string {
  return new Date(ms).toISOString()
}

export interface BatchOutcome {
  readonly results: readonly Row[]
  readonly errors: readonly Row[]
}

export function batchAnswer(status: number, { results, errors }: BatchOutcome): Answer {
  const time = timeText()
  const body = { status: 'COMPLETE', results, startedAt: time, completedAt: time }
  if (errors.length === 0) return { status, body }
  return { status: 207, body: { ...body, numErrors: errors.length, errors } }
}
