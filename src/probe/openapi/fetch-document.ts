import { oneLine } from '../../api/errors/one-line.ts'
import type { ApiOptions } from '../../api/options.ts'
import { openConnections } from '../../api/transport/connections.ts'
import { NoReply, type Reply } from '../../api/transport/exchange.ts'
import { CrmError } from '../../core/errors.ts'
import { isLoopback } from '../../core/http-rules.ts'
import { tooLarge } from './read-description.ts'

const MAX_REDIRECTS = 5

export type FetchOptions = Pick<ApiOptions, 'timeoutMs' | 'env' | 'signal' | 'userAgent'>

export interface FetchedDocument {
  readonly bytes: Uint8Array
  /** After redirects. */
  readonly url: URL
}

/** Fetches a public document, without any key. Redirects are followed, but not from https to http. */
export async function fetchDocument(address: URL, options: FetchOptions): Promise<FetchedDocument> {
  let url = address
  for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
    const answer = await fetchOnce(url, options)
    if ('bytes' in answer) return { bytes: answer.bytes, url }
    const next = URL.parse(answer.location, url.href)
    const isDowngrade = next?.protocol === 'http:' && url.protocol === 'https:' && !isLoopback(next.hostname)
    if (!next || isDowngrade || !/^https?:$/.test(next.protocol)) {
      throw failed(url, `it redirects to ${oneLine(JSON.stringify(answer.location), 120)}, which is no https address`)
    }
    url = next
  }
  throw failed(address, `more than ${MAX_REDIRECTS} redirects`)
}

async function fetchOnce(url: URL, options: FetchOptions): Promise<{ bytes: Uint8Array } | { location: string }> {
  const { timeoutMs, signal, userAgent, env } = options
  const connections = openConnections({ baseUrl: url, timeoutMs, env }, 1)
  const headers = ['accept', 'application/json, application/yaml, */*', 'user-agent', userAgent]
  try {
    const path = url.pathname + url.search
    const reply = await connections.exchange({ method: 'GET', path, headers, body: null }, { timeoutMs, signal })
    return await documentIn(reply, url)
  } catch (error) {
    throw error instanceof NoReply ? noReplyError(error, url, options) : error
  } finally {
    await connections.close()
  }
}

async function documentIn(
  { status, headers, body }: Reply,
  url: URL,
): Promise<{ bytes: Uint8Array } | { location: string }> {
  if (status >= 300 && status < 400 && headers.location !== undefined) return { location: headers.location }
  if (status < 200 || status > 299) {
    throw new CrmError(status === 404 ? 'not_found' : 'rejected', `${url.href} answers ${status}`, {
      hint: 'give the address of a document that is readable without a key, or a file',
      status,
    })
  }
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return { bytes: body }
  const { decodeBody } = await import('../../api/transport/decode.ts')
  const decoded = await decodeBody(body, encoding)
  if (typeof decoded === 'string') throw failed(url, decoded)
  return { bytes: decoded }
}

function noReplyError({ type, cause }: NoReply, url: URL, { timeoutMs }: FetchOptions): CrmError {
  if (type === 'interrupted') {
    return new CrmError('interrupted', 'interrupted', { hint: 'run the same command again', cause })
  }
  if (type === 'timeout') {
    return new CrmError('timeout', `no answer from ${url.href} within ${timeoutMs / 1000} s`, {
      hint: 'try a longer --timeout',
      cause,
    })
  }
  const { code, message } = (cause ?? {}) as { readonly code?: string; readonly message?: string }
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return tooLarge(url.href)
  return failed(url, code ?? message ?? 'no answer', cause)
}

function failed(url: URL, reason: string, cause?: unknown): CrmError {
  return new CrmError('unreachable', `cannot fetch ${url.href}: ${reason}`, {
    hint: 'download the document, and name the file',
    cause,
  })
}
