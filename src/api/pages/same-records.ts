import { idText } from '../../core/exact-json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { PageAnswer } from './page-answer.ts'
import { recordKey } from './record-key.ts'

/** Keys to compare records: their ids, or the whole records. */
function idsOf(items: readonly CrmRecord[]): readonly string[] {
  return items.map((item) => JSON.stringify(recordKey(item) ?? item))
}

export function isSameRecord(one: CrmRecord | undefined, other: CrmRecord | undefined): boolean {
  return one !== undefined && other !== undefined && idsOf([one])[0] === idsOf([other])[0]
}

export function areSameRecords(items: readonly CrmRecord[], others: readonly CrmRecord[]): boolean {
  return items.length === others.length && idsOf(items).join() === idsOf(others).join()
}

/** Most of the records are new: a few may be repeated when others were added during the read. */
export function areFurther(items: readonly CrmRecord[], before: readonly CrmRecord[]): boolean {
  const known = new Set(idsOf(before))
  const repeated = idsOf(items).filter((id) => known.has(id)).length
  return items.length > 0 && repeated * 2 < items.length
}

/** The page begins with the last records of the one before: a record was added in front of them during the read. */
export function areShifted(items: readonly CrmRecord[], before: readonly CrmRecord[]): boolean {
  const [ids, earlier] = [idsOf(items), idsOf(before)]
  const at = earlier.indexOf(ids[0] ?? '')
  return at > 0 && earlier.slice(at).every((id, n) => ids[n] === id)
}

/** Whether the next page is guessed from the id of the last record: see LAST_ID_PARAMETERS. */
export function isByLastId({ next, items }: Pick<PageAnswer, 'next' | 'items'>): boolean {
  return next !== undefined && 'parameter' in next && next.cursor === idText(items.at(-1)?.id)
}
