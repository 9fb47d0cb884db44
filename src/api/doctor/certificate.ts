import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { oneLine } from '../errors/one-line.ts'
import { type ProbeTarget, probeLimitMs } from './probe-target.ts'

export type Certificate = {
  readonly subject: string | null
  readonly issuer: string | null
  /** RFC 3339, UTC. */
  readonly valid_until: string | null
}

export function certificateOf(socket: TLSSocket): Certificate {
  const certificate = socket.getPeerX509Certificate()
  return {
    subject: nameIn(certificate?.subject),
    issuer: nameIn(certificate?.issuer),
    valid_until: certificate ? certificate.validToDate.toISOString() : null,
  }
}

/** `for crm.example.com, by Some Authority, valid until 2026-12-31`. */
export function certificateText({ subject, issuer, valid_until: until }: Certificate): string {
  const parts = [`for ${subject ?? 'an unknown name'}`, `by ${issuer ?? 'an unknown issuer'}`]
  if (until !== null) parts.push(`valid until ${until.slice(0, 10)}`)
  return parts.join(', ')
}

/** Reads a certificate that crm refuses. Nothing is sent over the connection. */
export async function peekCertificate(target: ProbeTarget): Promise<Certificate | undefined> {
  const { baseUrl } = target
  const host = baseUrl.hostname.replace(/^\[|\]$/g, '')
  const servername = isIP(host) ? {} : { servername: host }
  const socket = connect({ host, port: Number(baseUrl.port || 443), ...servername, rejectUnauthorized: false })
  try {
    return await new Promise((resolve) => {
      socket.setTimeout(probeLimitMs(target), () => resolve(undefined))
      socket.once('error', () => resolve(undefined))
      socket.once('secureConnect', () => resolve(certificateOf(socket)))
    })
  } finally {
    socket.destroy()
  }
}

/** The common name of a distinguished name, one attribute a line; without one, the whole text. */
function nameIn(lines: string | undefined): string | null {
  if (lines === undefined || lines === '') return null
  const name = /^CN=(.*)$/m.exec(lines)?.[1] ?? lines
  const organisation = /^O=(.*)$/m.exec(lines)?.[1]
  return oneLine(organisation === undefined || organisation === name ? name : `${name} (${organisation})`, 100)
}
