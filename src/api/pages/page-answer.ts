import type { CrmRecord } from '../../core/resources/registry.ts'
import type { Answer } from '../transport/answer.ts'
import { type Counts, envelopeOf, type Member, readCounts, readSentences, type Sign, wholeNumber } from './envelope.ts'
import { normalised, recordsIn } from './items.ts'
import { OFFSET_NAMES, OFFSET_PARAMETERS } from './names.ts'
import { type DisputedNext, readNext } from './page-next.ts'
import type { AnswerPath, PageWire } from './page-shapes.ts'
import type { NextCandidate, Position } from './positions.ts'
import { hasPrevious, isLinkedBack, lastPageAhead, linksOf, readSigns, recordCursor, unreadLink } from './signs.ts'

export interface PageAnswer {
  readonly items: readonly CrmRecord[]
  /** Undefined if the list ends here by this answer. */
  readonly next: Position | undefined
  /** Alternatives to `next`, tried in order if it leads back. */
  readonly others: readonly NextCandidate[]
  /** A next page in an answer that also states that the list ends. */
  readonly disputed: DisputedNext | undefined
  /** Whether the answer states the end of the list, or its next page. */
  readonly isEndKnown: boolean
  /** The path to the records; empty if the answer itself is the list. */
  readonly itemsAt: AnswerPath
  /** The member that states the next page or the end, such as `next_cursor`; undefined if there is none. */
  readonly nextAt: string | undefined
  readonly isFromZero: boolean
  /** It links to a first, a previous and a last page. */
  readonly isLinkedBack: boolean
  /** It has a previous page. */
  readonly isLater: boolean
  readonly counts: Counts
  /** Members that suggest more records, but are not recognised as a cursor. */
  readonly signs: readonly Sign[]
  /** Status 206 (Partial Content). */
  readonly isPart: boolean
  /** The parameter in which this server counts records, such as `skip`, if the answer repeats it. */
  readonly offsetName: string | undefined
}

/** The page in an answer to a request for `url`, or a clause with the reason why there is none. */
export function readPage(received: Answer, url: URL, wire: PageWire): PageAnswer | string {
  const answer = { ...received, ...(received.json !== undefined && { json: normalised(received.json) }) }
  const { status, json = null, headers } = answer
  const members = envelopeOf(json, headers)
  const list = recordsIn(answer, url, wire, members)
  if (typeof list === 'string') return list
  const { items, place } = list
  const links = linksOf(json, headers.link)
  const ahead = lastPageAhead(json, links, url)
  const source = { json, links, isLastAhead: ahead !== undefined, lastId: items.at(-1)?.id, members }
  const found = readNext(source, url, wire)
  if (typeof found === 'string') return found
  const texts = readSentences(json)
  const counts = readCounts(members, texts.counts)
  const signs = [
    ...readSigns(members, queryOf(url, wire)),
    ...texts.signs,
    ahead,
    partSign(status),
    recordCursor(json, list),
    unreadLink(headers.link, links),
  ]
  return {
    items,
    next: found.next,
    others: found.others,
    disputed: found.disputed,
    isEndKnown: found.end !== 'unknown',
    itemsAt: place,
    nextAt: found.at,
    isFromZero: found.isFromZero ?? false,
    isLinkedBack: isLinkedBack(members),
    isLater: hasPrevious(links, members),
    counts,
    signs: signs.flatMap((sign) => (sign ? [{ ...sign, isHint: sign.isHint === true && !wire.isHintProven }] : [])),
    isPart: status === 206,
    offsetName: offsetNameIn(members, counts),
  }
}

/** Without the page size, because a cursor may be the same number. */
function queryOf(url: URL, { limitParam }: PageWire): URLSearchParams {
  const query = new URLSearchParams(url.searchParams)
  if (limitParam !== undefined) query.delete(limitParam)
  return query
}

/** RFC 4918, 13: each part has its own status. */
function partSign(status: number): Sign | undefined {
  return status === 207 ? { at: 'status 207', ownName: 'status', value: undefined } : undefined
}

/** Bubble repeats the index of the first record as `cursor`, beside the number of remaining ones. */
function offsetNameIn(members: readonly Member[], { remaining }: Counts): string | undefined {
  const isCounting = ({ name, value }: Member) => name === 'cursor' && typeof value === 'number'
  if (remaining && members.some(isCounting)) return 'cursor'
  const repeated = members.find(
    ({ name, value }) => OFFSET_NAMES.has(name) && wholeNumber(value) !== undefined,
  )?.ownName
  return OFFSET_PARAMETERS.find((parameter) => parameter === repeated)
}
