import type { Failure } from '../../api/errors/failure.ts'
import { CrmError } from '../../core/errors.ts'

/** The error of a try that ends more than its own operation. */
export function failureError(action: string, failure: Failure, hint = failure.hint): CrmError {
  const { code, reason, status, requestId, retryAfterMs, cause, rule } = failure
  return new CrmError(code, `${action}: ${reason}`, {
    hint,
    isRetryable: rule !== 'never',
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(cause === undefined ? {} : { cause }),
  })
}
