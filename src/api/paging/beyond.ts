import type { CrmError, ErrorCode } from '../../core/errors.ts'

/** With which a server refuses a place that holds no records, or a parameter that it does not take. */
const REFUSALS: readonly ErrorCode[] = ['bad_request', 'invalid_values', 'rejected', 'not_found']

export function isPlaceRefused({ code }: CrmError): boolean {
  return REFUSALS.includes(code)
}

/** How servers call the place of a page. */
const PLACE = /page|offset|skip|start|from|cursor|range|beyond|first_?result/i
/** A refusal that names the place and means the customer. */
const CUSTOMER = /quota|\bplans?\b|upgrade|subscri|credit|billing|licen[cs]e|expired/i

/**
 * A server that refuses a page behind the last one: 404, 416, or 400 and 422 whose text names the place. What else it refuses,
 * such as 402 and a quota, says nothing of where the list ends.
 */
export function isBeyond({ message, details }: CrmError, parameter: string): boolean {
  const { status } = details
  if (status === 404 || status === 416) return true
  if (status !== 400 && status !== 422) return false
  return !CUSTOMER.test(message) && (PLACE.test(message) || message.includes(parameter))
}
