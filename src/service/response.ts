import type { OutgoingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerRequest } from './client-connection.ts'

/** What clients that send or read slowly may keep in memory. */
const MAX_BYTES = 256 * 1024 * 1024

/** Bodies in memory, by connection. Beyond the limit, the connections that have kept theirs for longest are closed. */
export class HeldBytes {
  readonly #bytesOf = new Map<Socket, number>()
  readonly #onFull: () => void
  readonly #maxBytes: number
  #sum = 0

  constructor(onFull: () => void, maxBytes = MAX_BYTES) {
    this.#onFull = onFull
    this.#maxBytes = maxBytes
  }

  hold(socket: Socket, bytes: number): void {
    this.#sum += bytes
    this.#bytesOf.set(socket, (this.#bytesOf.get(socket) ?? 0) + bytes)
    for (const [oldest] of this.#bytesOf) {
      if (this.#sum <= this.#maxBytes || this.#bytesOf.size === 1) return
      this.release(oldest)
      this.#onFull()
      oldest.destroy()
    }
  }

  release(socket: Socket): void {
    this.#sum -= this.#bytesOf.get(socket) ?? 0
    this.#bytesOf.delete(socket)
  }
}

/** Larger bodies are sent in parts of this size, so that it is known how much of them a client took that left. */
const PART_BYTES = 256 * 1024

interface Response {
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
