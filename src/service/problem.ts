import { randomUUID } from 'node:crypto'
import { type JsonNode, nodeText } from './json-text.ts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** A rejected value: its position, the rule it breaks, and the expected value. */
export interface ValueFault {
  /** RFC 6901 pointer as a URI fragment, for a member of the body. */
  readonly pointer?: string
  /** For a parameter of the query. */
  readonly parameter?: string
  readonly code: string
  readonly detail: string
}

const TITLES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
} as const

export type ProblemStatus = keyof typeof TITLES

interface ProblemParts {
  readonly errors?: readonly ValueFault[]
  readonly headers?: Readonly<Record<string, string>>
  /** Default `about:blank`, with the phrase of the status as title. */
  readonly type?: { readonly uri: string; readonly title: string }
  readonly extensions?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** A response that is not a success, thrown from anywhere. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: ProblemStatus
  /** Stable, for programs; the message is for people and may change. */
  readonly code: string
  readonly parts: ProblemParts

  constructor(status: ProblemStatus, code: string, detail: string, parts: ProblemParts = {}) {
    super(detail, { cause: parts.cause })
    this.status = status
    this.code = code
    this.parts = parts
  }

  get title(): string {
    return this.parts.type?.title ?? TITLES[this.status]
  }
}

/** RFC 9457. `instance` is only the path, as a query may contain secrets. */
export function problemText(problem: Problem, instance: string | undefined, requestId: string): string {
  const { type, errors, extensions } = problem.parts
  return JSON.stringify({
    type: type?.uri ?? 'about:blank',
    title: problem.title,
    status: problem.status,
    detail: problem.message,
    instance,
    code: problem.code,
    request_id: requestId,
    errors,
    ...extensions,
  })
}

export function invalidValues(errors: readonly ValueFault[]): Problem {
  const detail = errors.map((fault) => `${fault.pointer?.slice(2) || 'body'}: ${fault.detail}`).join('; ')
  return new Problem(422, 'invalid_values', detail, { errors })
}

export function invalidValue(pointer: string, code: string, detail: string): Problem {
  return invalidValues([{ pointer, code, detail }])
}

export function badParameter(parameter: string, code: string, detail: string): Problem {
  return new Problem(400, 'invalid_parameter', `${parameter}: ${detail}`, { errors: [{ parameter, code, detail }] })
}

export function unknownParameter(parameter: string, known: readonly string[]): Problem {
  const expected = known.length > 0 ? `expected one of ${known.join(', ')}` : 'there are none'
  const detail = `unknown parameter ${parameter.slice(0, 80)}: ${expected}`
  return new Problem(400, 'invalid_parameter', detail, { errors: [{ parameter, code: 'unknown_parameter', detail }] })
}

export function notFound(what: string, id: string): Problem {
  return new Problem(404, 'not_found', `there is no ${what} ${JSON.stringify(id)}`)
}

/** The id sent by the client, if it is safe in headers and logs and not a secret; otherwise a new one. */
export function requestId(sent: string | string[] | undefined): string {
  const isSafe = typeof sent === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(sent) && !/crm_key_|whsec_/i.test(sent)
  return isSafe ? sent : `req_${randomUUID()}`
}

const MAX_SHOWN = 80

/** A sent text, quoted and truncated for a message. */
export function quotedText(text: string, maxLength: number = MAX_SHOWN): string {
  return text.length <= maxLength ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, maxLength))}…`
}

/** A sent JSON value, truncated for a message. */
export function quotedValue(value: JsonNode): string {
  const text = nodeText(value)
  if (text.startsWith('"')) return quotedText(JSON.parse(text) as string)
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`
}
