import type { IncomingMessage } from 'node:http'

/** As long as nginx lingers (`lingering_time`, `lingering_timeout`): in all, and without a byte from the client. */
const LINGER_MS = 30_000
const SILENT_MS = 5000

/** More than what is sent by mistake, such as a whole export; it costs no memory, and a client could send as much in requests. */
const MAX_DROPPED_BYTES = 256 * 1024 * 1024

/**
 * For an answer that ends the connection while its request is still being sent: closes in stages (RFC 9112 section 9.6).
 * Unread bytes in a socket that is closed reset the connection, and a client that writes on would lose the answer.
 */
export function closeInStages(request: IncomingMessage): void {
  const { socket } = request
  let droppedBytes = 0
  request.on('data', (chunk: Buffer) => {
    droppedBytes += chunk.length
    if (droppedBytes > MAX_DROPPED_BYTES) socket.destroy()
  })
  // Node calls this once the answer is written, and its own version would not read what comes after that.
  socket.destroySoon = () => {
    socket.end()
    if (request.complete) return void socket.destroy()
    socket.setTimeout(SILENT_MS)
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
    request.once('end', () => socket.destroy())
  }
}
