import type { Buffer } from 'node:buffer'
import { createRedactor } from '../../core/redact.ts'
import type { Failure } from '../errors/failure.ts'
import type { ApiOptions } from '../options.ts'
import type { Answer } from '../transport/answer.ts'
import { attempt, type TryOptions } from '../transport/attempt.ts'
import { addressOfCall, type Call } from '../transport/call.ts'
import { openConnections } from '../transport/connections.ts'
import { TrailingSlashes } from '../transport/exchange.ts'
import { baseHeaders, ifMatchHeader } from '../transport/headers.ts'

/** A write; its body is sent byte for byte. */
export interface Write {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  /** From `/v1` on, encoded. */
  readonly path: string
  readonly body: Buffer | null
  /** Sent with POST and PATCH. */
  readonly idempotencyKey: string
  readonly ifMatch: string | undefined
  /** For messages, after "cannot": `create the contact of line 7`. */
  readonly action: string
}

/**
 * Sends the writes of jobs: one call is one try with one outcome. Nothing is retried or delayed here, because the caller
 * writes the result of each try to disk before the next one.
 */
export interface Sender {
  send(write: Write): Promise<Answer | Failure>
  /** One GET. */
  ask(path: string, query: Readonly<Record<string, string>>): Promise<Answer | Failure>
  close(): Promise<void>
}

export type SenderOptions = Pick<
  ApiOptions,
  'baseUrl' | 'key' | 'wire' | 'loginHint' | 'serveDatabase' | 'timeoutMs' | 'userAgent' | 'now' | 'debug' | 'env'
> & {
  /** The maximum number of requests in flight. */
  readonly connections: number
}

export function createSender(options: SenderOptions): Sender {
  const fixedHeaders = baseHeaders(options)
  const connections = openConnections(options, options.connections)
  // Requests in flight are not aborted: an aborted write would be in doubt.
  const signal = new AbortController().signal
  const redactor = createRedactor([options.key])
  const slashes = new TrailingSlashes(options.baseUrl)
  const tryOptions: TryOptions = { ...options, signal, maxWaitMs: 0, onWait: undefined, redactor, slashes }
  const jsonHeaders = [...fixedHeaders, 'Content-Type', 'application/json']

  const send = (call: Call, headers: string[], body: Buffer | null) => {
    const outgoing = { method: call.method, path: addressOfCall(options.baseUrl, call), headers, body }
    return attempt(connections.pool, { call, outgoing, number: 1, signal }, tryOptions)
  }
  return {
    send: ({ method, path, body, idempotencyKey, ifMatch, action }) => {
      const headers = body === null ? [...fixedHeaders] : [...jsonHeaders]
      if (method !== 'DELETE') headers.push(options.wire.idempotencyHeader, idempotencyKey)
      if (ifMatch !== undefined) headers.push('If-Match', ifMatchHeader(ifMatch))
      return send({ method, path, ifMatch, action, command: 'crm jobs', findCommand: undefined }, headers, body)
    },
    ask: (path, query) => {
      const call: Call = {
        method: 'GET',
        path,
        query,
        action: 'ask the server',
        command: 'crm',
        findCommand: undefined,
      }
      return send(call, [...fixedHeaders], null)
    },
    close: connections.close,
  }
}
