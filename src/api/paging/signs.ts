import { idText } from '../../core/exact-json.ts'
import type { JsonValue } from '../../core/json.ts'
import type { Member } from './envelope.ts'
import { COUNT_NAMES, PAGES_NAMES, TOTAL_NAMES } from './names.ts'
import { isCutText } from './said-texts.ts'

/** What looks as if it led to more records, and is in no place that is recognised. */
export interface Sign {
  readonly at: string
  readonly ownName: string
  /** What may be sent back; undefined where it only says yes. */
  readonly value: string | undefined
  /** It may mean something else: it is tried, and raises no doubt. */
  readonly isHint?: boolean
}

const WORDS: ReadonlySet<string> = new Set(
  (
    'next more cursor cursors token offset continuation continue resume after scroll bookmark marker iterator watermark ' +
    'partial truncated incomplete'
  ).split(' '),
)
/** Whole names: their words alone mean many things. */
const NAMES: ReadonlySet<string> = new Set('position lastid timedout limitexceeded limitreached'.split(' '))
/** How many are still to come. */
const REMAINING = /^(?:remaining(?:items?|records?|results?)?(?:count)?|(?:items|records|results)remaining)$/
/** As `false` they say that the answer is a part. */
const COMPLETE = /^(?:is)?complete$/
const STATE = /^(?:status|state|result)$/
/** Where a scan stopped, as DynamoDB has it: a key by its attributes. */
const LAST_KEY = /(?:^|\.)last_?(?:evaluated_?)?key(?:\.|$)/i
/** A part of what the server has not counted (RFC 9110, 14.4). */
const UNCOUNTED = /\d\s*\/\s*\*\s*$/

/** In one name with one of those they mean something else. */
const ASIDE: ReadonlySet<string> = new Set(
  'sync delta type info step steps utc timezone hours maintenance reset refresh'.split(' '),
)
/** The same, also in a name around it, or the way back. */
const OTHERS: ReadonlySet<string> = new Set(
  'prev previous before csrf xsrf auth access refresh session security request api self first ratelimit retry'.split(
    ' ',
  ),
)

/** `asked` is the query of the request: what only repeats a value of it says nothing. */
export function readSigns(members: readonly Member[], asked: URLSearchParams): readonly Sign[] {
  const sent = new Set(asked.values())
  return members.flatMap((member): readonly Sign[] => {
    const { ownName, name, value, isHeader } = member
    const at = isHeader ? headerName(member.at) : member.at
    if (isPart(member)) return [{ at, ownName, value: undefined }]
    if (isCounted(name) || isNothing(value) || !isNameOfMore(member)) return []
    const text = idText(value)
    if (text !== undefined && sent.has(text)) return []
    // A token that stands alone is more often one against forged requests.
    const isHint = member.at === 'token'
    return [{ at, ownName, value: isYes(value) ? undefined : text, ...(isHint && { isHint }) }]
  })
}

function isCounted(name: string): boolean {
  return TOTAL_NAMES.has(name) || COUNT_NAMES.has(name) || PAGES_NAMES.has(name)
}

/** The server says that this is not all, and nothing that leads on. */
function isPart({ name, words, value, isHeader }: Member): boolean {
  const text = typeof value === 'string' ? value : ''
  if (isHeader) return (name === 'contentrange' && UNCOUNTED.test(text)) || (name === 'warning' && isCutText(text))
  if (COMPLETE.test(name)) return value === false
  if (STATE.test(name)) return /^(?:partial|incomplete|truncated)/i.test(text)
  const isAboveNone = typeof value === 'number' && value > 0
  return isAboveNone && (REMAINING.test(name) || (name === 'failed' && words.includes('shards')))
}

function isNameOfMore({ name, words, ownWords, at }: Member): boolean {
  if (LAST_KEY.test(at) || NAMES.has(name)) return true
  if (ownWords.some((word) => ASIDE.has(word))) return false
  return words.some((word) => WORDS.has(word)) && !words.some((word) => OTHERS.has(word))
}

/** A number below 1 leads nowhere: it is the offset of the first page, or how some servers write the end. */
export function isNothing(value: JsonValue): boolean {
  if (value === null || value === false) return true
  if (typeof value === 'number') return value < 1
  if (typeof value === 'object') return Object.keys(value).length === 0
  return typeof value === 'string' && /^(?:|0|-1|null|none|false)$/i.test(value.trim())
}

export function isYes(value: JsonValue): boolean {
  return value === true || (typeof value === 'string' && /^(?:true|yes)$/i.test(value))
}

function headerName(at: string): string {
  return at.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase())
}
