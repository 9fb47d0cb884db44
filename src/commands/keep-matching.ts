import type { CrmRecord } from '../core/resources/registry.ts'

export interface ListPage {
  readonly items: readonly CrmRecord[]
  readonly nextCursor: string | undefined
  /** `--limit` cut this page: there are more records, without a cursor for them. */
  readonly isCut?: true
  /** Whether more records follow, as in a page of the client. */
  readonly rest?: 'some' | 'unknown' | 'none'
}

type Keep = (records: readonly CrmRecord[]) => Promise<readonly CrmRecord[]>

/** The records of each page that match `--where`, up to `limit`. `judge` is called after each page that does not reach it. */
export async function* keepMatching(
  pages: AsyncIterable<ListPage>,
  keep: Keep,
  limit = Number.POSITIVE_INFINITY,
  judge: () => Promise<void> = async () => {},
): AsyncGenerator<ListPage> {
  let remaining = limit
  for await (const { items, nextCursor, rest } of pages) {
    const kept = await keep(items)
    if (kept.length > remaining) {
      yield { items: kept.slice(0, remaining), nextCursor: undefined, isCut: true }
      return
    }
    yield { items: kept, nextCursor, ...(rest && { rest }) }
    remaining -= kept.length
    if (remaining === 0) return
    await judge()
  }
}
