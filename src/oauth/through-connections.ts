import { Buffer } from 'node:buffer'
import type { ApiOptions } from '../api/options.ts'
import { openConnections } from '../api/transport/connections.ts'
import { CrmError } from '../core/errors.ts'
import { isLoopback } from '../core/http-rules.ts'
import { isJsonObject, parseExactJson } from '../core/json.ts'

export type FetchOptions = Pick<ApiOptions, 'timeoutMs' | 'env'> & {
  readonly signal: AbortSignal
  /** Learns what is sent, before a server can repeat it in its answer. */
  readonly addSecret?: (secret: string) => void
}

const SECRET_MEMBERS = ['code', 'code_verifier', 'assertion', 'client_secret', 'refresh_token', 'token']

interface Asked {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

export type Fetch = (url: string, asked: Asked) => Promise<Response>

/** Requests to an authorization server, through the proxies and with the certificates of all other requests. */
export function fetchThrough({ timeoutMs, env, signal, addSecret }: FetchOptions): Fetch {
  return async (url, { method, headers, body }) => {
    const address = new URL(url)
    if (address.protocol !== 'https:' && !isLoopback(address.hostname)) {
      throw new CrmError('usage', `${address.origin} is plain http, so anyone on the network can read the tokens`, {
        hint: 'correct the addresses below "oauth" of the connector: crm connectors show NAME',
      })
    }
    const form = new URLSearchParams(String(body ?? ''))
    for (const secret of SECRET_MEMBERS.flatMap((name) => form.getAll(name))) addSecret?.(secret)
    const connections = openConnections({ baseUrl: new URL(address.origin), timeoutMs, env })
    const outgoing = {
      ...{ method: method as 'GET' | 'POST', path: address.pathname + address.search },
      headers: Object.entries(headers).flat(),
      body: body === undefined || body === null ? null : Buffer.from(String(body)),
    }
    try {
      const reply = await connections.exchange(outgoing, { timeoutMs, signal })
      const { 'content-type': type = 'application/octet-stream', date = '' } = reply.headers
      const status = isRefusal(reply) ? 400 : reply.status
      return new Response(status === 204 ? null : new Uint8Array(reply.body), {
        status,
        headers: { 'content-type': type, date },
      })
    } finally {
      await connections.close()
    }
  }
}

/** Some servers refuse with a 200: `{"error": "invalid_code"}`. */
function isRefusal({ status, body }: { readonly status: number; readonly body: Buffer }): boolean {
  if (status !== 200) return false
  try {
    const json = parseExactJson(body.toString('utf8'))
    return isJsonObject(json) && typeof json.error === 'string' && json.access_token === undefined
  } catch {
    return false
  }
}
