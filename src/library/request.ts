import { Buffer } from 'node:buffer'
import type { Api } from '../api/api.ts'
import type { RawApi } from '../api/raw.ts'
import type { Method } from '../api/transport/call.ts'
import { CrmError } from '../core/errors.ts'
import { isHeaderName, isHeaderValue, isTransportHeader } from '../core/http-rules.ts'
import { jsonIn } from '../core/json.ts'
import { timeOrderedUuid } from '../core/time-ordered-uuid.ts'
import { checkNames } from './call-checks.ts'
import type { Request, RequestCall } from './client-types.ts'
import { guarded } from './safe-errors.ts'

const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

export function requestMethod(open: () => Promise<Api>): Request {
  return (method, path, options) =>
    guarded(async () => {
      const { reply, error } = await (await open()).raw.send(checkedRequest(method, path, options))
      if (error) throw error
      if (!reply) throw new CrmError('bad_answer', `${method} ${path} has no answer`, { hint: 'send it again' })
      const text = Buffer.from(reply.body).toString('utf8')
      return { status: reply.status, headers: reply.headers, json: jsonIn(text), text }
    })
}

function checkedRequest(method: Method, path: string, options: RequestCall = {}): Parameters<RawApi['send']>[0] {
  checkNames('request', options, ['query', 'body', 'headers', 'idempotencyKey', 'signal'])
  if (!METHODS.includes(method)) {
    const hint = `expected ${METHODS.join(', ')}`
    throw new CrmError('invalid_input', `${JSON.stringify(method)} is no method`, { hint })
  }
  const { query, body, headers = {}, idempotencyKey, signal } = options
  const isKeyed = method === 'POST' || method === 'PATCH'
  return {
    ...{ method, signal },
    path: query === undefined ? path : withQuery(path, query),
    headers: headerList(headers, body !== undefined),
    bytes: bytesOf(body),
    idempotencyKey: idempotencyKey ?? (isKeyed ? timeOrderedUuid() : undefined),
  }
}

function withQuery(path: string, query: NonNullable<RequestCall['query']>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) parameters.append(name, String(value))
  return `${path}${path.includes('?') ? '&' : '?'}${parameters}`
}

function bytesOf(body: RequestCall['body']): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body
  return Buffer.from(JSON.stringify(body))
}

function headerList(headers: Readonly<Record<string, string>>, hasBody: boolean): readonly string[] {
  const given = Object.entries(headers)
  const wrong = given.find(([name, value]) => !isHeaderName(name) || !isHeaderValue(value) || isOwn(name))
  if (wrong) {
    throw new CrmError('invalid_input', `the header ${JSON.stringify(wrong[0])} cannot be set`, {
      hint: 'the client sets authorization and the headers of the connection itself',
    })
  }
  const hasType = given.some(([name]) => name.toLowerCase() === 'content-type')
  return [...given, ...(hasBody && !hasType ? [['content-type', 'application/json']] : [])].flat()
}

function isOwn(name: string): boolean {
  return isTransportHeader(name) || name.toLowerCase() === 'authorization'
}
