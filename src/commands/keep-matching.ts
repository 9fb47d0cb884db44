import type { Page } from '../api/operations.ts'
import type { CrmRecord } from '../core/resources/registry.ts'

type Keep = (records: readonly CrmRecord[]) => Promise<readonly CrmRecord[]>

/** The records of each page that match `--where`, up to `limit`. `judge` is called after each page that does not reach it. */
export async function* keepMatching(
  pages: AsyncIterable<Page>,
  keep: Keep,
  limit = Number.POSITIVE_INFINITY,
  judge: () => Promise<void> = async () => {},
): AsyncGenerator<Page> {
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
