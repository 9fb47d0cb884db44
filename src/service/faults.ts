import type { FastifyError } from 'fastify'
import { CrmError } from '../core/errors.ts'
import { unsupportedType } from './body.ts'
import { Problem } from './problem.ts'

/** Requests that Fastify rejects before a route sees them. */
const FRAMEWORK_FAULTS: Readonly<Record<string, (method: string) => Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new Problem(413, { code: 'body_too_large', detail: 'the body is larger than 1 MiB' }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Problem(400, { code: 'malformed_body', detail: 'the length of the body differs from Content-Length' }),
  FST_ERR_BAD_URL: () => new Problem(400, { code: 'malformed_url', detail: 'the path is not percent-encoded UTF-8' }),
  FST_ERR_MAX_PARAM_LENGTH: () => new Problem(404, { code: 'not_found', detail: 'the id is too long' }),
}

/** The Problem for any thrown error. Messages of the database and of bugs are logged, not sent to clients. */
export function problemOf(error: unknown, method: string): Problem {
  if (error instanceof Problem) return error
  if (error instanceof CrmError) {
    const detail = 'the database is not available at the moment'
    return new Problem(503, { code: 'unavailable', detail, headers: { 'retry-after': '5' } })
  }
  const { code, statusCode = 500 } = error as Partial<FastifyError>
  const fault = FRAMEWORK_FAULTS[code ?? '']
  if (fault) return fault(method)
  if (statusCode < 500) return new Problem(400, { code: 'malformed_request', detail: 'the request was truncated' })
  return new Problem(500, { code: 'internal', detail: 'internal error; see the log under the request id' })
}

export function notAllowed(method: string, path: string, allowed: readonly string[]): Problem {
  return new Problem(405, {
    code: 'method_not_allowed',
    detail: `${path} supports ${allowed.join(' and ')}, not ${method}`,
    headers: { allow: allowed.join(', ') },
  })
}

/** RFC 9112 section 3.2: a proxy before the service may have used another one. */
export function severalHosts(): Problem {
  return new Problem(400, { code: 'malformed_request', detail: 'the request has more than one Host header' })
}

export function noSuchPath(path: string): Problem {
  return new Problem(404, { code: 'not_found', detail: `there is no ${path} here` })
}
