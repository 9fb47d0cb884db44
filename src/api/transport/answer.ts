import type { IncomingHttpHeaders } from 'node:http'
import type { JsonValue } from '../../core/json.ts'
import type { Redactor } from '../../core/redact.ts'
import { htmlText, isHtml, oneLine } from '../errors/one-line.ts'
import type { Call } from './call.ts'
import type { Reply } from './exchange.ts'
import { MAX_JSON_DEPTH, parseAnswer, readBodyText } from './parse-answer.ts'
import { redactDeep, redactTrouble } from './redact-reply.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Undefined if the body is empty. */
  readonly json: JsonValue | undefined
  /** The same, redacted for messages. */
  readonly quoted?: () => JsonValue
  /** Present if answers of any type are accepted. */
  readonly body?: Buffer
}

/** The answer, or a clause that describes a body that cannot be read. The content type is ignored. */
export function readAnswer(call: Call, reply: Reply, redactor: Redactor): Answer | string {
  const { status, headers, body } = reply
  if (body.length === 0) return { status, headers, json: undefined }
  const text = readBodyText(reply)
  if (text === undefined) return 'the answer is not UTF-8'
  if (isHtml(text)) {
    const shown = oneLine(htmlText(redactor.foreign(text)), 60)
    return `the server sent an HTML page instead of JSON: ${JSON.stringify(shown)}`
  }
  const parsed = parseAnswer(redactor.data(text))
  if ('json' in parsed) {
    const quoted = () => redactDeep(parsed.json, redactor.foreign)
    return { status, headers, json: redactTrouble(parsed.json, redactor), quoted }
  }
  // The answer to a DELETE needs no record: `OK` suffices.
  if (call.method === 'DELETE') return { status, headers, json: oneLine(redactor.foreign(text), 60) }
  if (parsed.trouble === 'deep') return `the answer is nested more than ${MAX_JSON_DEPTH} levels deep`
  return `the answer is not JSON: ${oneLine(redactor.foreign(text), 60)}`
}
