import type { IncomingMessage } from 'node:http'
import { Problem } from './problem.ts'

/** Of requests whose route has no limit of its own. */
const MAX_BODY_BYTES = 1024 * 1024

/** The body; undefined when none was sent. Rejects with a Problem for one that is too large or cut off. */
export async function readBytes(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<Buffer | undefined> {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
  if (coding === undefined && length === '0') return undefined
  if (Number(length) > maxBytes) throw tooLarge(maxBytes)
  // Of a client that has gone, no event follows.
  if (request.destroyed) throw truncated()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let sizeBytes = 0
    const keep = (chunk: Buffer) => {
      sizeBytes += chunk.length
      if (sizeBytes <= maxBytes) return void chunks.push(chunk)
      request.off('data', keep)
      reject(tooLarge(maxBytes))
    }
    request.on('data', keep)
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
    request.once('error', () => reject(truncated()))
  })
}

function truncated(): Problem {
  return new Problem(400, { code: 'malformed_request', detail: 'the request was truncated' })
}

function tooLarge(maxBytes: number): Problem {
  const detail = `the body is larger than ${maxBytes / 1024 / 1024} MiB`
  return new Problem(413, { code: 'body_too_large', detail })
}
