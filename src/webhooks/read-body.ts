import type { IncomingMessage } from 'node:http'
import { Rejection } from './rejection.ts'

const MAX_BODY_BYTES = 1024 * 1024
/** Read on and thrown away, so that who sends a little too much sees the answer and not a broken connection. */
const MAX_DISCARDED_BYTES = 8 * MAX_BODY_BYTES

/** The bytes as they came, chunked or not. Throws a Rejection; the connection may then hold unread bytes. */
export async function readBody(request: IncomingMessage, timeoutMs: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Rejection('encoded_body', 'the body is compressed, expected the bytes that were signed')
  }
  if (Number(request.headers['content-length'] ?? 0) > MAX_DISCARDED_BYTES) throw tooLarge()
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const timer = setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs)
  const chunks: Buffer[] = []
  let sizeBytes = 0
  request.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes <= MAX_BODY_BYTES) chunks.push(chunk)
    else chunks.length = 0
    if (sizeBytes > MAX_DISCARDED_BYTES) reject(tooLarge())
  })
  request.on('end', () => (sizeBytes > MAX_BODY_BYTES ? reject(tooLarge()) : resolve(Buffer.concat(chunks))))
  // An error is told by the close behind it; one that comes after the end says nothing.
  request.on('error', () => {})
  request.on('close', () => {
    if (!request.readableEnded) reject(new Rejection('malformed_request', 'the connection ended inside the body'))
  })
  return await promise.finally(() => clearTimeout(timer))
}

function tooLarge(): Rejection {
  return new Rejection('too_large', `the body is over ${MAX_BODY_BYTES} bytes`)
}

function tooSlow(timeoutMs: number): Rejection {
  return new Rejection('too_slow', `the body did not arrive within ${timeoutMs / 1000} s`)
}
