import { oneLine } from '../../api/errors/one-line.ts'
import type { ApiOptions } from '../../api/options.ts'
import { openConnections } from '../../api/transport/connections.ts'
import { NoReply } from '../../api/transport/exchange.ts'
import { CrmError } from '../../core/errors.ts'
import { isLoopback } from '../../core/http-rules.ts'
import { tooLarge } from './read-description.ts'

const MAX_REDIRECTS = 5

type FetchOptions = Pick<ApiOptions, 'timeoutMs' | 'env' | 'signal' | 'userAgent'>

/** Fetches a public document, without any key. Redirects are followed, but not from https to http; `url` is the last one. */
export async function fetchDocument(
  address: URL,
  options: FetchOptions,
): Promise<{ readonly bytes: Uint8Array; readonly url: URL }> {
  let url = address
  for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
    const answer = await fetchOnce(url, options)
    if (typeof answer !== 'string') return { bytes: answer, url }
    const next = URL.parse(answer, url.href)
    const isDowngrade = next?.protocol === 'http:' && url.protocol === 'https:' && !isLoopback(next.hostname)
    if (!next || isDowngrade || !/^https?:$/.test(next.protocol)) {
      throw failed(url, `it redirects to ${oneLine(JSON.stringify(answer), 120)}, which is no https address`)
    }
    url = next
  }
  throw failed(address, `more than ${MAX_REDIRECTS} redirects`)
}

/** The document, or the address that it is at. */
async function fetchOnce(url: URL, { timeoutMs, signal, userAgent, env }: FetchOptions): Promise<Uint8Array | string> {
  const connections = openConnections({ baseUrl: url, timeoutMs, env }, 1)
  const sent = ['accept', 'application/json, application/yaml, */*', 'user-agent', userAgent]
  const request = { method: 'GET', path: url.pathname + url.search, headers: sent, body: null } as const
  try {
    const { status, headers, body } = await connections.exchange(request, { timeoutMs, signal })
    if (status >= 300 && status < 400 && headers.location !== undefined) return headers.location
    if (status < 200 || status > 299) {
      throw new CrmError(status === 404 ? 'not_found' : 'rejected', `${url.href} answers ${status}`, {
        hint: 'give the address of a document that is readable without a key, or a file',
        status,
      })
    }
    const encoding = headers['content-encoding']
    if (encoding === undefined || encoding === 'identity') return body
    const { decodeBody } = await import('../../api/transport/decode.ts')
    const decoded = await decodeBody(body, encoding)
    if (typeof decoded === 'string') throw failed(url, decoded)
    return decoded
  } catch (error) {
    throw error instanceof NoReply ? noReplyError(error, url, timeoutMs) : error
  } finally {
    await connections.close()
  }
}

function noReplyError({ type, cause }: NoReply, url: URL, timeoutMs: number): CrmError {
  if (type === 'interrupted') {
    return new CrmError('interrupted', 'interrupted', { hint: 'run the same command again', cause })
  }
  if (type === 'timeout') {
    const hint = 'try a longer --timeout'
    return new CrmError('timeout', `no answer from ${url.href} within ${timeoutMs / 1000} s`, { hint, cause })
  }
  const { message = 'no answer', code = message } = (cause ?? {}) as NodeJS.ErrnoException
  return code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? tooLarge(url.href) : failed(url, code, cause)
}

function failed(url: URL, reason: string, cause?: unknown): CrmError {
  const hint = 'download the document, and name the file'
  return new CrmError('unreachable', `cannot fetch ${url.href}: ${reason}`, { hint, cause })
}
