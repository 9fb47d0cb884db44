import type { LeftOut } from './left-out.ts'
import type { PlanOperation } from './plan-format.ts'

const REASONS: Readonly<Record<LeftOut['code'], string>> = {
  empty_row: '',
  no_match: '',
  done_before: '',
  conflict: 'changed since',
  as_before: 'already as before the job',
  gone: 'it was deleted since',
  cannot: 'there is no way to delete it',
  in_doubt: 'in doubt, and may exist',
  ambiguous_match: '',
  same_key: '',
  beyond_limit: '',
}

/** Why an operation, or a member of its record, is not reverted. */
export function leftOf(
  { op, head }: PlanOperation,
  id: string | null,
  code: LeftOut['code'],
  reason = REASONS[code],
): LeftOut {
  const line = head.line ?? null
  const text = id === null && line === null ? `operation ${op}: ${reason}` : reason
  return { line, id, code, field: null, reason: text, was: null, wrote: null, now: null }
}
