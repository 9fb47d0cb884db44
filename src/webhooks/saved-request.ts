import { CrmError } from '../core/errors.ts'
import { readEvent } from './read-event.ts'
import { Rejection } from './rejection.ts'
import { prepareSecrets, type SignedMessage, verify } from './verify.ts'

export interface VerifiedRequest {
  readonly scheme: string
  readonly id: string | undefined
  readonly name: string | undefined
  readonly recordId: string | undefined
}

/** Parses a saved request: header lines, an empty line, the body; a request line may come first. */
export function parseSavedRequest(bytes: Buffer): SignedMessage {
  const [, head = ''] = /^((?:[^\r\n]+\r?\n)+)\r?\n/.exec(bytes.toString('latin1')) ?? []
  if (head === '') {
    throw new CrmError('invalid_input', 'the input is not an HTTP request: no headers followed by an empty line', {
      hint: "for a body alone, give its headers: --header 'webhook-id: ...' --header 'webhook-timestamp: ...' ...",
    })
  }
  const lines = head.split(/\r?\n/).filter((line) => line !== '')
  const headers = headersOf(lines.filter((line, at) => at > 0 || !/ HTTP\/[\d.]+$/.test(line)))
  const bodyAt = head.length + (bytes[head.length] === 0x0d ? 2 : 1)
  const contentLength = Number(headers['content-length']?.[0] ?? Number.NaN)
  // Editors add a line end after the last line.
  const endAt = Number.isNaN(contentLength) ? bytes.length : Math.min(bytes.length, bodyAt + contentLength)
  return { headers, body: bytes.subarray(bodyAt, endAt) }
}

/** Parses `Name: value` lines. CrmError `invalid_input` for any other line. */
export function headersOf(lines: readonly string[]): SignedMessage['headers'] {
  const headers: Record<string, string[]> = {}
  for (const line of lines) {
    const [, name, value = ''] = /^([!#$%&'*+\-.^_`|~\w]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    if (name === undefined) {
      throw new CrmError('invalid_input', `${JSON.stringify(line.slice(0, 80))} is not a header`, {
        hint: "expected lines such as 'webhook-id: evt_0abc'",
      })
    }
    const known = headers[name.toLowerCase()]
    if (known) known.push(value)
    else headers[name.toLowerCase()] = [value]
  }
  return headers
}

/** Describes a genuine delivery. Throws a CrmError `rejected` with the reason for any other. */
export function verifySaved(delivery: SignedMessage, secrets: readonly string[], nowMs: number): VerifiedRequest {
  try {
    const { name: scheme, idHeader, eventHeader } = verify(delivery, prepareSecrets(secrets), nowMs)
    const { facts } = readEvent(delivery.body)
    const header = (name: string | undefined) => (name === undefined ? undefined : delivery.headers[name]?.[0])
    return {
      scheme,
      id: header(idHeader) ?? facts.id,
      name: header(eventHeader) ?? facts.name,
      recordId: facts.recordId,
    }
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    throw new CrmError('rejected', `${error.reason}: ${error.message}`, {
      hint: HINTS[error.reason] ?? 'see docs/webhooks.md',
    })
  }
}

const HINTS: Readonly<Record<string, string>> = {
  signature_mismatch: 'use the secret of this subscription, and a body with exactly the bytes received',
  stale: 'its signature is genuine; to check it as of another time: --at 2026-01-02T03:04:05Z',
  future: 'its signature is genuine; set the clock, or check it as of another time: --at 2026-01-02T03:04:05Z',
  no_signature: 'expected headers such as webhook-id, webhook-timestamp and webhook-signature',
}
