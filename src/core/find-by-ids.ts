import { idText } from './exact-json.ts'
import { listedId } from './listed-id.ts'
import type { CrmRecord } from './resources/registry.ts'

/**
 * Finds records by id by scanning the list: the contract has no request for a single record. Stops when all are found; an id
 * that no page has is missing from the result. CrmError `bad_answer` when one is missing and a record of the list has no id.
 */
export async function findByIds(
  pages: AsyncIterable<{ readonly items: readonly CrmRecord[] }>,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, CrmRecord>> {
  const wanted = new Set(ids)
  const found = new Map<string, CrmRecord>()
  let unnamed: CrmRecord | undefined
  for await (const { items } of pages) {
    for (const item of items) {
      const id = idText(item.id)
      if (id === undefined || id === '') unnamed ??= item
      else if (wanted.has(id)) found.set(id, item)
    }
    if (found.size === wanted.size) return found
  }
  if (unnamed) listedId(unnamed)
  return found
}
