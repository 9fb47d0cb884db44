import { isUtf8 } from 'node:buffer'
import type { Reply } from './exchange.ts'

/**
 * The text of a body, or undefined when its bytes are none. JSON is UTF-8 whatever its label says (RFC 8259 section 8.1);
 * only what cannot be is read by its label.
 */
export function readBodyText({ body, headers }: Pick<Reply, 'body' | 'headers'>): string | undefined {
  if (isUtf8(body)) return body.toString('utf8')
  const label = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1]
  if (label === undefined || /^utf-?8$/i.test(label)) return undefined
  try {
    return new TextDecoder(label, { fatal: true }).decode(body)
  } catch (error) {
    // An unknown charset, or bytes that are invalid in it.
    if (error instanceof RangeError || error instanceof TypeError) return undefined
    throw error
  }
}
