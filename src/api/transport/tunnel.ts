import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { ProxyError, type WebProxy } from './proxy.ts'

const MAX_HEAD_BYTES = 16 * 1024

export interface Tunnel {
  /** Available at once, so that it can be closed before it is established. */
  readonly socket: Socket
  /** Resolves when the tunnel is established; rejects with a ProxyError. */
  readonly ready: Promise<void>
}

/** A connection to `target` (`host:port`) through the proxy, by CONNECT (RFC 9110 section 9.3.6). */
export function openTunnel(proxy: WebProxy, target: string, trust: SecureContext | undefined): Tunnel {
  const { url } = proxy
  const isTls = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || (isTls ? 443 : 80))
  const socket = isTls
    ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }), ...(trust && { secureContext: trust }) })
    : connectTcp({ host, port })
  const ready = new Promise<void>((resolve, reject) => {
    const fail = (reason: string, cause?: unknown) => {
      socket.destroy()
      reject(new ProxyError(proxy, `the proxy ${url.host} ${reason}`, cause))
    }
    const onError = (error: NodeJS.ErrnoException) => fail(`cannot be reached (${error.code ?? error.message})`, error)
    const onClose = () => fail('closed the connection')
    const onData = readHead((status, rest) => {
      socket.off('data', onData).off('error', onError).off('close', onClose)
      if (status < 200 || status > 299) return fail(refusal(status))
      if (rest > 0) return fail('sent data after its answer')
      socket.pause()
      resolve()
    })
    socket.on('error', onError).on('close', onClose).on('data', onData)
    socket.once(isTls ? 'secureConnect' : 'connect', () => socket.write(connectRequest(url, target)))
  })
  return { socket, ready }
}

/** Calls back with the status (0 if it is not HTTP) and the number of bytes after the head, once it is complete. */
function readHead(done: (status: number, restBytes: number) => void): (chunk: Buffer) => void {
  let head = Buffer.alloc(0)
  return (chunk) => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0 && head.length < MAX_HEAD_BYTES) return
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1]
    done(end < 0 ? 0 : Number(status ?? 0), head.length - end - 4)
  }
}

function refusal(status: number): string {
  if (status === 0) return 'does not speak HTTP'
  return status === 407 ? 'requires a valid user and password (407)' : `refuses the connection (${status})`
}

function connectRequest({ username, password }: URL, target: string): string {
  const lines = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`]
  if (username || password) {
    const credentials = Buffer.concat([percentDecoded(username), Buffer.from(':'), percentDecoded(password)])
    lines.push(`Proxy-Authorization: Basic ${credentials.toString('base64')}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Decodes bytes, because a password need not be UTF-8. */
function percentDecoded(text: string): Buffer {
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1')
}
