import type { Socket } from 'node:net'
import { Problem, type ProblemStatus, problemText } from './problem.ts'
import { requestId } from './request-id.ts'

const FAULTS: Readonly<Record<string, [ProblemStatus, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'the headers are larger than 16 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'body_too_large', 'the chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'the request did not arrive in time'],
}

/**
 * Answers bytes that did not form a request, as a problem like all others, and ends the connection. A response in progress
 * was written whole, so this one follows it.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, code, detail] = FAULTS[error.code ?? ''] ?? [400, 'malformed_request', 'not an HTTP/1.1 request']
  const problem = new Problem(status, { code, detail })
  const id = requestId(undefined)
  const text = problemText(problem, undefined, id)
  const head = [
    `HTTP/1.1 ${status} ${problem.title}`,
    'Connection: close',
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${id}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
}
