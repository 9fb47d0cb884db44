import type { CrmError } from '../../core/errors.ts'
import { type Counts, highestOf, type StatedCount, shortText } from './counts.ts'
import type { Progress } from './judge-end.ts'
import type { PageAnswer } from './page-answer.ts'
import type { Asked } from './settle.ts'

/** The lowest count in any page, except in an empty one, which may count only itself. */
export function lowestStated(before: StatedCount | undefined, { counts, items }: PageAnswer): StatedCount | undefined {
  const stated = listCount(counts)
  if (!stated || (before && (items.length === 0 || before.count <= stated.count))) return before
  return stated
}

/** The higher count: the lower one may be the length of the page. */
function listCount({ total, atLeast }: Counts): StatedCount | undefined {
  return highestOf([total, atLeast])
}

/**
 * Why a list that has ended is incomplete: each page counts more records than the list had. After a deletion during the read
 * the first page counts fewer when it is requested again.
 */
export async function missingIn(
  { isFromStart, isFiltered, count, stated }: Progress,
  askFirst: () => Promise<Asked | { readonly refusal: CrmError }>,
): Promise<string | undefined> {
  if (!isFromStart || isFiltered || !stated || stated.count <= count) return undefined
  const again = await askFirst()
  const now = 'refusal' in again ? undefined : listCount(again.page.counts)
  if (now && now.count <= count) return undefined
  return shortText(stated, count)
}
