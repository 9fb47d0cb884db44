import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { PendingReply } from './pending-reply.ts'

/** A connection that ends without any other error, as after 101. */
class EndError extends Error {
  readonly code = 'ECONNRESET'
}

/** Hands what arrives for a request to its PendingReply. */
export function receiveReply(sent: ClientRequest, reply: PendingReply): void {
  let received: IncomingMessage | undefined
  sent.on('response', (response) => {
    received = response
    reply.begin(response.statusCode ?? 0, headersOf(response.rawHeaders))
    response.on('data', (chunk: Buffer) => reply.add(chunk))
    response.on('end', () => reply.end())
    response.on('error', (error) => reply.fail(error))
  })
  // A whole reply is not lost to what follows it on the connection.
  sent.on('error', (error) => {
    if (!received?.complete) reply.fail(error)
  })
  sent.on('close', () => {
    if (!received?.complete) reply.fail(new EndError())
  })
  sent.on('continue', () => reply.begin(100, {}))
}

/** As undici gives them: a list where a name is repeated. */
function headersOf(raw: readonly string[]): IncomingHttpHeaders {
  const headers: Record<string, string | string[]> = Object.create(null)
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2)
    const key = name.toLowerCase()
    const known = headers[key]
    headers[key] = known === undefined ? value : [known, value].flat()
  }
  return headers
}
