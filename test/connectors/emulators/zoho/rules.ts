import { type Answer, type Call, Refusal, type Row } from '../emulator.ts'

/** The outcome of one row; its place in `data` is that of the row. */
export interface Outcome {
  readonly code: string
  readonly details: Row
  readonly message: string
  readonly status: 'success' | 'error'
  readonly action?: 'insert' | 'update'
  readonly duplicate_field?: string | null
}

export function failure(status: number, code: string, message: string, details: Row = {}): Answer {
  return { status, body: rowError(code, message, details) }
}

export function refuse(status: number, code: string, message: string, details: Row = {}): never {
  throw new Refusal(failure(status, code, message, details))
}

export function rowError(code: string, message: string, details: Row = {}): Outcome {
  return { code, details, message, status: 'error' }
}

export function invalid(details: Row, message = 'invalid data'): Outcome {
  return rowError('INVALID_DATA', message, details)
}

/** One row is answered as in "Possible Errors"; of several, 207 says that some were refused. */
export function answerOf(outcomes: readonly Outcome[], done: number, refused: number): Answer {
  const errors = outcomes.filter(({ status }) => status === 'error').length
  const status = errors === 0 ? done : errors < outcomes.length ? 207 : refused
  return { status, body: { data: outcomes } }
}

export function bodyOf({ body }: Call): Row {
  if (body.type === 'json' && typeof body.value === 'object' && body.value !== null && !Array.isArray(body.value))
    return body.value as Row
  return refuse(400, 'INVALID_DATA', 'body')
}

export function ok(body: object): Answer {
  return { status: 200, body }
}

/** A list without records has no body. */
export function listed(body: Row & { readonly data?: readonly unknown[] }): Answer {
  return body.data?.length === 0 ? { status: 204 } : ok(body)
}

export function timeText(ms = Date.now()): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00')
}

/** 19 digits. */
export function idOf(n: number): string {
  return `4876876${String(n).padStart(12, '0')}`
}
