import type { Buffer } from 'node:buffer'
import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, parseExactJson } from '../../core/json.ts'
import type { Failure } from '../errors/failure.ts'

/** A read before a write that failed. */
export class FailedRead extends Error {
  readonly failure: Failure

  get code(): Failure['code'] {
    return this.failure.code
  }

  constructor(failure: Failure) {
    super(failure.reason)
    this.failure = failure
  }
}

/** A row that the connector cannot express, or a read that failed before it was sent. */
export function notSentFailure(error: unknown): Failure {
  if (error instanceof FailedRead) return { ...error.failure, isInDoubt: false }
  if (!(error instanceof CrmError)) throw error
  const { code, message, details } = error
  return { code, reason: message, hint: details.hint, rule: 'never', isInDoubt: false }
}

export function fieldsIn(body: Buffer): JsonObject {
  const json = parseExactJson(body.toString('utf8'))
  return isJsonObject(json) ? json : {}
}
