import type { CrmError } from '../../core/errors.ts'
import type { PageAnswer } from '../page-answer.ts'
import { type Counts, highestOf, type Told } from './counts.ts'
import type { Progress } from './judge-end.ts'
import type { Asked } from './settle.ts'

/** The lowest count in any page, except in an empty one, which may count only itself. */
export function lowestTold(before: Told | undefined, { counts, items }: PageAnswer): Told | undefined {
  const told = listCount(counts)
  if (!told || (before && (items.length === 0 || before.count <= told.count))) return before
  return told
}

/** The higher count: the lower one may be the length of the page. */
function listCount({ total, atLeast }: Counts): Told | undefined {
  return highestOf([total, atLeast])
}

/**
 * Why a list that has ended is incomplete: each page counts more records than the list had. After a deletion during the read
 * the first page counts fewer when it is requested again.
 */
export async function missingIn(
  { isFromStart, isFiltered, count, told }: Progress,
  askFirst: () => Promise<Asked | { readonly refusal: CrmError }>,
): Promise<string | undefined> {
  if (!isFromStart || isFiltered || !told || told.count <= count) return undefined
  const again = await askFirst()
  const now = 'refusal' in again ? undefined : listCount(again.page.counts)
  if (now && now.count <= count) return undefined
  return `${told.at} counts ${told.count} records, and ${count} came`
}
