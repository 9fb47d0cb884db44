import type { FailureMeaning } from '../../connector/document.ts'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import type { Answer } from '../transport/answer.ts'
import type { Call } from '../transport/call.ts'
import type { Failure } from './failure.ts'
import { readProblem } from './problem.ts'
import { DECLARED, STATUSES } from './status-failure.ts'

/** The status of a refusal with this meaning. */
const OF_MEANING: Readonly<Record<FailureMeaning, number>> = {
  exists: 409,
  gone: 404,
  limit: 429,
  retry: 503,
  auth: 401,
  invalid: 422,
}

/** What an answer to many rows says against one of them; `error` is redacted. */
export function rowFailure(call: Call, error: JsonValue, { status: whole, headers }: Answer): Failure {
  const stated = statusIn(error)
  const meaning = call.errors?.meaning(stated ?? whole, error)
  const status = meaning ? OF_MEANING[meaning] : (stated ?? OF_MEANING.invalid)
  const { code, rule } = (meaning ? DECLARED[meaning] : STATUSES[status]) ?? DECLARED.invalid
  const problem = { ...readProblem(JSON.stringify(error), error), ...call.errors?.problem(error) }
  return {
    ...{ code, rule, status, headers, isInDoubt: status >= 500 },
    reason: problem.message || 'the server refused it without a reason',
    hint: `${call.command} --help`,
    ...(problem.code === undefined ? {} : { serverCode: problem.code }),
    ...(problem.field === undefined ? {} : { field: problem.field }),
    ...(problem.requestId === undefined ? {} : { requestId: problem.requestId }),
  }
}

function statusIn(error: JsonValue): number | undefined {
  if (!isJsonObject(error)) return undefined
  const stated = [error.status, error.statusCode, error.code].find((value) => isErrorStatus(Number(value)))
  return stated === undefined ? undefined : Number(stated)
}

function isErrorStatus(value: number): boolean {
  return Number.isInteger(value) && value >= 400 && value <= 599
}
