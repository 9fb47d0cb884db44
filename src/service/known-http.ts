import type { IncomingMessage } from 'node:http'
import { Problem, type ProblemStatus, quotedText } from './problem.ts'

/** Throws for what the service does not have, and for what a proxy in front of it may have read otherwise. */
export function requireKnownHttp(request: IncomingMessage): void {
  const { expect, 'transfer-encoding': coding } = request.headers
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    // RFC 9112 section 6.1.
    throw ending(501, 'unknown_transfer_coding', `Transfer-Encoding: expected chunked, got ${quotedText(coding)}`)
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw ending(417, 'unknown_expectation', `Expect: expected 100-continue, got ${quotedText(expect)}`)
  }
  requireOneHost(request)
}

/** RFC 9112 section 3.2: a proxy before the service may have used another one. Node joins them with commas, which no host contains. */
function requireOneHost({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): void {
  if (host === undefined && httpVersion === '1.1') {
    throw ending(400, 'malformed_request', 'the request has no Host header')
  }
  if (!host?.includes(',')) return
  if (rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length < 2) return
  throw ending(400, 'malformed_request', 'the request has more than one Host header')
}

/** The rest of the connection may not be what it seems. */
function ending(status: ProblemStatus, code: string, detail: string): Problem {
  return new Problem(status, { code, detail, headers: { connection: 'close' } })
}
