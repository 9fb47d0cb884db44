import type { IncomingHttpHeaders } from 'node:http'
import type { JsonValue } from '../core/json.ts'
import { readBodyText } from './body-text.ts'
import type { Call } from './call.ts'
import type { Reply } from './exchange.ts'
import { oneLine } from './one-line.ts'
import { isHtml } from './problem.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Undefined when the body was empty. */
  readonly json: JsonValue | undefined
}

const BYTE_ORDER_MARK = '\ufeff'

/** The answer, or a clause that says what came instead of one. The content type is not asked: only the body counts. */
export function readAnswer(call: Call, reply: Reply): Answer | string {
  const { status, headers, body } = reply
  if (body.length === 0) return { status, headers, json: undefined }
  const text = readBodyText(reply)
  if (text === undefined) return 'the answer is not UTF-8'
  if (isHtml(text)) return `an HTML page came instead of JSON: ${oneLine(text, 60)}`
  const json = parseJson(text)
  // Nothing in the answer to a DELETE is needed.
  if (json === undefined && call.method !== 'DELETE') return `the answer is not JSON: ${oneLine(text, 60)}`
  return { status, headers, json }
}

/** Undefined when `text` is not JSON, which is what no JSON text parses to. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
  } catch {
    return undefined
  }
}
