import type { JsonValue } from './json.ts'
import { foldedLine } from './nearest.ts'

const OPT_OUT = /opt(?:ed|s)?[_ ]?out|unsubscribe|do[_ ]?not[_ ]?(?:call|contact|e?mail)/i
const OPT_IN = /opt(?:ed|s)?[_ ]?in(?![a-z])|subscribed|consent|newsletter/i
const WORDS = new Set(['unsubscribed', 'no_consent', 'opted_out', 'optedout'])
const NO = new Set(['', 'false', 'no', '0'])

/** Whether a value says that a person wants no messages. No server marks such members, so it is seen in their names: DoNotCall, newsletter. */
export function isOptOut(member: string, value: JsonValue): boolean {
  if (typeof value === 'object' && value !== null) return false
  const text = foldedLine(String(value ?? ''))
  if (WORDS.has(text)) return true
  if (OPT_OUT.test(member)) return !NO.has(text)
  return OPT_IN.test(member) && text !== '' && NO.has(text)
}
