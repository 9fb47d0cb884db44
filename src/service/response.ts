import type { OutgoingHttpHeaders } from 'node:http'
import type { HeldBytes } from './held-bytes.ts'
import type { ServerRequest } from './server-request.ts'

/** Larger bodies are sent in parts of this size, so that it is known how much of them a client took that left. */
const PART_BYTES = 256 * 1024

export interface Response {
  readonly status: number
  /** Gets the length of the body. */
  readonly headers: OutgoingHttpHeaders
  readonly body: string
}

export function sendResponse(request: ServerRequest, { status, headers, body }: Response, held: HeldBytes): void {
  const { response, raw } = request
  const sizeBytes = Buffer.byteLength(body)
  if (status !== 204) headers['content-length'] = sizeBytes
  response.writeHead(status, headers)
  if (raw.method !== 'HEAD') request.sizeBytes = sizeBytes
  if (request.sizeBytes > PART_BYTES) {
    held.hold(raw.socket, sizeBytes)
    sendParts(request, Buffer.from(body))
  } else response.end(body)
}

function sendParts(request: ServerRequest, bytes: Buffer): void {
  const { response } = request
  let at = 0
  const sendMore = (): void => {
    while (at < bytes.length) {
      const part = bytes.subarray(at, at + PART_BYTES)
      at += part.length
      const isTaken = response.write(part, (error) => {
        if (!error) request.sentBytes += part.length
      })
      if (!isTaken && at < bytes.length) return void response.once('drain', sendMore)
    }
    response.end()
  }
  sendMore()
}
