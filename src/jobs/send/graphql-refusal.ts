import type { Failure } from '../../api/errors/failure.ts'
import { oneLine } from '../../api/errors/one-line.ts'
import type { Answer } from '../../api/transport/answer.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'

/** What `extensions.code` means where no status stands beside it; everything else is values that are refused. */
const KINDS: readonly (readonly [RegExp, ErrorCode, number])[] = [
  [/rate.?limit|throttl|too.?many/i, 'rate_limited', 429],
  [/not.?found/i, 'not_found', 404],
  [/unauth|invalid.?token/i, 'unauthorized', 401],
  [/forbidden|scope|permission/i, 'forbidden', 403],
  [/precondition/i, 'precondition_failed', 412],
  [/in.?progress/i, 'conflict', 409],
  [/internal|unavailable|timeout/i, 'server_error', 500],
]

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'not_found',
  412: 'precondition_failed',
  422: 'invalid_values',
  429: 'rate_limited',
}

/** Errors of GraphQL, which have any status, as the failure of a REST endpoint. */
export function refusalOf(errors: readonly JsonObject[], outcome: Answer | Failure): Failure {
  const [first = {}] = errors
  const extensions = isJsonObject(first.extensions) ? first.extensions : {}
  const serverCode = typeof extensions.code === 'string' ? extensions.code : ''
  const [, known = 'invalid_values', usual = 422] = KINDS.find(([pattern]) => pattern.test(serverCode)) ?? []
  const status = typeof extensions.status === 'number' ? extensions.status : usual
  const code = BY_STATUS[status] ?? (status >= 500 ? 'server_error' : known)
  const isOutage = code === 'server_error'
  const isPatient = code === 'rate_limited' || /in.?progress/i.test(serverCode)
  const field = fieldOf(extensions)
  return {
    ...{ code, status, serverCode, isInDoubt: isOutage },
    reason: oneLine([...new Set(errors.map(({ message }) => String(message)))].join('; ')),
    hint: 'crm deals list',
    rule: isOutage ? 'few' : isPatient ? 'patient' : 'never',
    ...(outcome.headers === undefined ? {} : { headers: outcome.headers }),
    ...(field === undefined ? {} : { field }),
    ...(typeof extensions.request_id === 'string' ? { requestId: extensions.request_id } : {}),
  }
}

/** `/input/json/stage` is `stage`. */
function fieldOf({ errors }: JsonObject): string | undefined {
  const [first] = Array.isArray(errors) ? errors : []
  const pointer = isJsonObject(first) ? first.pointer : undefined
  return typeof pointer === 'string' ? pointer.split('/').at(-1) : undefined
}
