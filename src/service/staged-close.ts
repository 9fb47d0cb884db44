import type { IncomingMessage } from 'node:http'

/** As in nginx (`lingering_time`, `lingering_timeout`): in total, and without a byte from the client. */
const LINGER_MS = 30_000
const SILENT_MS = 5000

/** More than is sent by mistake, such as a whole export; discarding costs no memory. */
const MAX_DROPPED_BYTES = 256 * 1024 * 1024

/**
 * Closes the connection in stages (RFC 9112 section 9.6) when the response is sent before the end of the request. Closing a
 * socket with unread bytes resets the connection, and the client would lose the response.
 */
export function closeInStages(request: IncomingMessage): void {
  const { socket } = request
  let droppedBytes = 0
  request.on('data', (chunk: Buffer) => {
    droppedBytes += chunk.length
    if (droppedBytes > MAX_DROPPED_BYTES) socket.destroy()
  })
  // Node calls this after the response is written; the original would not read the rest of the request.
  socket.destroySoon = () => {
    socket.end()
    if (request.complete) return void socket.destroy()
    socket.setTimeout(SILENT_MS)
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
    request.once('end', () => socket.destroy())
  }
}
