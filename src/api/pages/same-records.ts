import type { CrmError, ErrorCode } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { PageAnswer } from './page-answer.ts'
import { recordKey } from './seen-records.ts'

/** The errors of a server for a page beyond the end, or for a parameter that it does not accept. */
const REFUSALS: readonly ErrorCode[] = ['bad_request', 'invalid_values', 'rejected', 'not_found']

/** Words for the position of a page. */
const PLACE = /page|offset|skip|start|from|cursor|range|beyond|first_?result/i

/** Words of a refusal that is about the account, not the page. */
const CUSTOMER = /quota|\bplans?\b|upgrade|subscri|credit|billing|licen[cs]e|expired/i

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

/** Whether most of the records are new: a few may be repeated if others were added during the read. */
export function areMostlyNew(items: readonly CrmRecord[], before: readonly CrmRecord[]): boolean {
  const known = new Set(idsOf(before))
  const repeated = idsOf(items).filter((id) => known.has(id)).length
  return items.length > 0 && repeated * 2 < items.length
}

/** Whether the page begins with the last records of the one before, because a record was added during the read. */
export function areShifted(items: readonly CrmRecord[], before: readonly CrmRecord[]): boolean {
  const [ids, earlier] = [idsOf(items), idsOf(before)]
  const at = earlier.indexOf(ids[0] ?? '')
  return at > 0 && earlier.slice(at).every((id, n) => ids[n] === id)
}

/** Whether the next page is guessed from the id of the last record: see LAST_ID_PARAMETERS. */
export function isFromLastId({ next, items }: Pick<PageAnswer, 'next' | 'items'>): boolean {
  return next !== undefined && 'parameter' in next && next.cursor === idText(items.at(-1)?.id)
}

export function isPlaceRefused({ code }: CrmError): boolean {
  return REFUSALS.includes(code)
}

/**
 * Whether a server refuses a page beyond the last one: 404, 416, or 400 and 422 with a text or code about the position.
 * Any other refusal, such as 402 for a quota, does not show where the list ends.
 */
export function isBeyondEnd({ message, details }: CrmError, parameter: string): boolean {
  const { status, serverCode = '' } = details
  if (status === 404 || status === 416) return true
  if (status !== 400 && status !== 422) return false
  const text = `${message} ${wordsOf(serverCode)}`
  return !CUSTOMER.test(text) && (PLACE.test(text) || text.includes(parameter))
}

/** `page_limit_of_plan` and `PlanPageLimit` as words. */
function wordsOf(code: string): string {
  return code.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ')
}
