import type { Ledger } from './ledger.ts'
import { insist, type Sending } from './requests.ts'

const PAGE = 200

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}

export interface Reading {
  /** Whole lists that were read to their end. */
  lists: number
  pages: number
}

/** Reads all pages again and again, each page from any process: none skips what was there, or shows a record twice. */
export async function readWholeLists(
  sending: Sending,
  kind: 'contact' | 'deal',
  reading: Reading,
  isStopping: () => boolean,
): Promise<void> {
  while (!isStopping()) {
    const startMs = performance.now()
    const seen = new Map<string, number>()
    for await (const ids of pagesOf(sending, kind, reading)) {
      for (const id of ids) seen.set(id, (seen.get(id) ?? 0) + 1)
    }
    reading.lists++
    judgeList(sending.ledger, kind, { seen, startMs })
  }
}

function judgeList(
  ledger: Ledger,
  kind: 'contact' | 'deal',
  { seen, startMs }: { readonly seen: ReadonlyMap<string, number>; readonly startMs: number },
): void {
  for (const [id, count] of seen) if (count > 1) ledger.fault(`a list of ${kind}s showed ${id} ${count} times`)
  for (const { id = '' } of ledger.mustShow(kind, startMs)) {
    if (!seen.has(id)) ledger.fault(`a list of ${kind}s skipped ${id}`)
  }
}

/**
 * Reads only what is new, again and again: from the newest record to the newest of the last reading. A record that appears
 * behind one that was read before is never seen.
 */
export async function follow(
  sending: Sending,
  kind: 'contact' | 'deal',
  reading: Reading,
  isStopping: () => boolean,
): Promise<ReadonlySet<string>> {
  const seen = new Set<string>()
  let isLast = false
  while (!isLast) {
    isLast = isStopping()
    const found: string[] = []
    for await (const ids of pagesOf(sending, kind, reading)) {
      const known = ids.findIndex((id) => seen.has(id))
      found.push(...(known < 0 ? ids : ids.slice(0, known)))
      if (known >= 0) break
    }
    for (const id of found) seen.add(id)
  }
  return seen
}

async function* pagesOf(
  sending: Sending,
  kind: 'contact' | 'deal',
  reading: Reading,
): AsyncGenerator<readonly string[]> {
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const answer = await insist(sending, { method: 'GET', path: `/v1/${kind}s?limit=${PAGE}${query}` })
    if (answer?.status !== 200) {
      sending.ledger.fault(`a page of ${kind}s: ${answer?.status} ${JSON.stringify(answer?.body)}`)
      return
    }
    const page = answer.body as unknown as Page
    reading.pages++
    yield page.data.map(({ id }) => id)
    cursor = page.has_more ? page.next_cursor : null
  } while (cursor !== null)
}
