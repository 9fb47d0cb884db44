import type { CrmError, ErrorCode } from '../../core/errors.ts'

/** The errors of a server for a page beyond the end, or for a parameter that it does not accept. */
const REFUSALS: readonly ErrorCode[] = ['bad_request', 'invalid_values', 'rejected', 'not_found']

export function isPlaceRefused({ code }: CrmError): boolean {
  return REFUSALS.includes(code)
}

/** Words for the position of a page. */
const PLACE = /page|offset|skip|start|from|cursor|range|beyond|first_?result/i
/** Words of a refusal that is about the account, not the page. */
const CUSTOMER = /quota|\bplans?\b|upgrade|subscri|credit|billing|licen[cs]e|expired/i

/**
 * Whether a server refuses a page beyond the last one: 404, 416, or 400 and 422 with a text or code about the position.
 * Any other refusal, such as 402 for a quota, does not show where the list ends.
 */
export function isBeyond({ message, details }: CrmError, parameter: string): boolean {
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
