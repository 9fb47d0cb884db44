import { CrmError } from '../../core/errors.ts'
import type { Wire } from '../../core/wire.ts'
import type { ListQuery } from '../api.ts'
import { type Call, cannot } from '../call.ts'

export function badPage(call: Pick<Call, 'action'>, reason: string, hint: string): CrmError {
  return new CrmError('bad_answer', `${cannot(call)}: ${reason}`, { hint })
}

/** The parameters that paging itself sends; a filter of the same name would fight with it. */
export function refusePagingFilters(
  filters: ListQuery['filters'],
  { limitParam, cursorParam = 'cursor' }: Pick<Wire, 'limitParam' | 'cursorParam'>,
): void {
  const name = [limitParam, cursorParam].find((parameter) => parameter && Object.hasOwn(filters, parameter))
  if (name === undefined) return
  throw new CrmError('invalid_input', `${name} is no filter: it belongs to paging`, {
    hint: 'use --limit for the number of records',
  })
}

/** What a server answers to a question that it does not take. */
const REFUSALS: readonly string[] = [
  'bad_request',
  'invalid_values',
  'rejected',
  'not_found',
  'conflict',
  'forbidden',
  'bad_answer',
  'server_error',
]

/** 500 is how some servers refuse a parameter; any other outage is one. */
export function isRefusal({ code, details }: CrmError): boolean {
  return REFUSALS.includes(code) && (code !== 'server_error' || details.status === 500)
}
