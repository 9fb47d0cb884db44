import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { parseJson } from '../transport/parse-answer.ts'

/** One value of an answer outside of the records. */
export interface Member {
  /** Its path (`meta.next_token`), or the name of a header. */
  readonly at: string
  /** Its own name in lower case without separators: `nexttoken`. */
  readonly name: string
  /** The words of its path, in lower case. */
  readonly words: readonly string[]
  /** The words of its own name. */
  readonly ownWords: readonly string[]
  /** Its own name, unchanged. */
  readonly ownName: string
  readonly value: JsonValue
  readonly isHeader: boolean
}

const MAX_DEPTH = 4
/** The limit for an answer that is one large object. */
const MAX_MEMBERS = 1000

/** Members of these are not about paging. */
const ASIDE =
  /^(?:schema|fields|columns|properties|definitions|labels|filters?|query|request|params|user|owner|rate_?limits?|quotas?|usage|debug|settings|permissions|aggregations|facets|included|errors?|warnings?|messages?)$/i

/** The values outside of the records. Lists are skipped, so that no member of a record is taken for one of the envelope. */
export function envelopeOf(json: JsonValue, headers: IncomingHttpHeaders): readonly Member[] {
  const members: Member[] = []
  walk(json, [], members, false)
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') continue
    // ASP.NET: `X-Pagination: {"TotalCount":45,"CurrentPage":1}`.
    const inside = value.startsWith('{') ? parseJson(value) : undefined
    if (inside === undefined) members.push(memberOf([name], value, true))
    else walk(inside, [name], members, true)
  }
  return members
}

function walk(value: JsonValue, path: readonly string[], members: Member[], isHeader: boolean): void {
  if (!isJsonObject(value) || path.length >= MAX_DEPTH) return
  for (const [key, inner] of Object.entries(value)) {
    if (members.length >= MAX_MEMBERS) return
    if (Array.isArray(inner) || ASIDE.test(key)) continue
    const at = [...path, key]
    if (isJsonObject(inner)) walk(inner, at, members, isHeader)
    else members.push(memberOf(at, inner, isHeader))
  }
}

function memberOf(path: readonly string[], value: JsonValue, isHeader: boolean): Member {
  const ownName = path.at(-1) ?? ''
  const words = path.flatMap(wordsOf)
  const ownWords = wordsOf(ownName)
  return { at: path.join('.'), name: ownWords.join(''), words, ownWords, ownName, value, isHeader }
}

/** `nextPageToken`, `next_page_token` and `Next-Page-Token` are the same three words. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
}

/** A member that may lead to more records, but is not recognised as a cursor. */
export interface Sign {
  readonly at: string
  readonly ownName: string
  /** The value to send back; undefined for a boolean. */
  readonly value: string | undefined
  /** It may mean something else: it is tried, but does not put the end in question. */
  readonly isHint?: boolean
}
