import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { parseJson } from '../transport/parse-answer.ts'

/** One value of an answer that is no part of a record. */
export interface Member {
  /** As people write it: `meta.next_token`, or the name of a header. */
  readonly at: string
  /** Its own name in lower case without what stands between words: `nexttoken`. */
  readonly name: string
  /** The words of its own name and of those around it, in lower case. */
  readonly words: readonly string[]
  /** The words of its own name. */
  readonly ownWords: readonly string[]
  /** Its own name, unchanged. */
  readonly ownName: string
  readonly value: JsonValue
  readonly isHeader: boolean
}

const DEEPEST = 4
/** An answer that is no list, but one large object, is not walked to its end. */
const MOST_MEMBERS = 1000

/** What these hold describes records, people and requests, and never the way on. */
const ASIDE =
  /^(?:schema|fields|columns|properties|definitions|labels|filters?|query|request|params|user|owner|rate_?limits?|quotas?|usage|debug|settings|permissions|aggregations|facets|included|errors?|warnings?|messages?)$/i

/** The values around the records: lists are passed over, so that nothing in a record is taken for a word of the server. */
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
  if (!isJsonObject(value) || path.length >= DEEPEST) return
  for (const [key, inner] of Object.entries(value)) {
    if (members.length >= MOST_MEMBERS) return
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

/** A member that may lead to more records, in a place that is not recognised. */
export interface Sign {
  readonly at: string
  readonly ownName: string
  /** The value to send back; undefined for a boolean. */
  readonly value: string | undefined
  /** It may mean something else: it is tried, but does not make the end doubtful. */
  readonly isHint?: boolean
}
