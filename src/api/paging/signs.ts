import { idText } from '../../core/exact-json.ts'
import type { JsonValue } from '../../core/json.ts'
import type { Member } from './envelope.ts'
import { COUNT_NAMES, PAGES_NAMES, TOTAL_NAMES } from './names.ts'

/** What looks as if it led to more records, and is in no place that is recognised. */
export interface Sign {
  readonly at: string
  readonly ownName: string
  /** What may be sent back; undefined where it only says yes. */
  readonly value: string | undefined
}

const WORDS: ReadonlySet<string> = new Set(
  'next more cursor cursors token offset continuation continue resume after scroll bookmark marker partial'.split(' '),
)
/** Where a scan stopped, as DynamoDB has it: a key by its attributes. */
const LAST_KEY = /(?:^|\.)last_?(?:evaluated_?)?key(?:\.|$)/i
/** A part of what the server has not counted (RFC 9110, 14.4). */
const UNCOUNTED = /\d\s*\/\s*\*\s*$/

/** Beside one of those they mean something else, or the way back. */
const OTHERS: ReadonlySet<string> = new Set(
  'prev previous before csrf xsrf auth access refresh session security request api self first ratelimit retry'.split(
    ' ',
  ),
)

/** `asked` is the query of the request: what only repeats a value of it says nothing. */
export function readSigns(members: readonly Member[], asked: URLSearchParams): readonly Sign[] {
  const sent = new Set(asked.values())
  return members.flatMap(({ at, ownName, name, words, value, isHeader }) => {
    if (isCounted(name) || isNothing(value)) return []
    if (isUncounted({ name, value, isHeader })) return [{ at: headerName(at), ownName, value: undefined }]
    if (!isWordOfMore(words, at)) return []
    const text = idText(value)
    if (text !== undefined && sent.has(text)) return []
    return [{ at: isHeader ? headerName(at) : at, ownName, value: isYes(value) ? undefined : text }]
  })
}

function isCounted(name: string): boolean {
  return TOTAL_NAMES.has(name) || COUNT_NAMES.has(name) || PAGES_NAMES.has(name)
}

function isUncounted({ name, value, isHeader }: Pick<Member, 'name' | 'value' | 'isHeader'>): boolean {
  return isHeader && name === 'contentrange' && UNCOUNTED.test(String(value))
}

function isWordOfMore(words: readonly string[], at: string): boolean {
  if (LAST_KEY.test(at)) return true
  return words.some((word) => WORDS.has(word)) && !words.some((word) => OTHERS.has(word))
}

/** A number below 1 leads nowhere: it is the offset of the first page, or how some servers write the end. */
export function isNothing(value: JsonValue): boolean {
  if (value === null || value === false) return true
  if (typeof value === 'number') return value < 1
  return typeof value === 'string' && /^(?:|0|-1|null|none|false)$/i.test(value.trim())
}

function isYes(value: JsonValue): boolean {
  return value === true || (typeof value === 'string' && /^(?:true|yes)$/i.test(value))
}

function headerName(at: string): string {
  return at.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase())
}
