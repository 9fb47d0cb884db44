import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'

export function openSocket(url: string): Socket {
  return connect(Number(new URL(url).port), '127.0.0.1')
}

/** Sends raw bytes. Resolves with all received bytes when the server closes the connection. */
export async function rawRequest(url: string, bytes: string): Promise<string> {
  const socket = openSocket(url)
  socket.write(bytes, 'latin1')
  return text(socket)
}

/** The JSON body of the last answer in what a connection received. */
export function lastBody(received: string): Record<string, unknown> {
  return JSON.parse(received.slice(received.lastIndexOf('\r\n\r\n') + 4)) as Record<string, unknown>
}
