import type { JsonObject } from '../core/json.ts'

const COUNT = /^(?:count|n|(?:deleted|affected|removed)(?:_?(?:count|rows|records))?|rows_?affected)$/i
const TOLD = /\b(?:delet|remov|archiv|eras|destroy|success|ok\b|okay|done\b)/i
const DENIED = /\b(?:not|no|cannot|can't|could|unable|error|fail|denied|invalid|forbidden|unauthori[sz]ed)/i

/** Whether an object without a record says that something was deleted. */
export function isDeletionShown(answer: JsonObject, isAffirming: boolean): boolean {
  const counts = Object.entries(answer).filter(([name, value]) => COUNT.test(name) && typeof value === 'number')
  if (counts.length > 0) return counts.some(([, value]) => Number(value) > 0)
  if (isAffirming || answer.deleted === true || answer.acknowledged === true) return true
  const members = Object.entries(answer)
  if (members.every(([, value]) => value === null)) return true
  const text = answer.message ?? answer.msg ?? answer.detail
  return typeof text === 'string' && TOLD.test(text) && !DENIED.test(text)
}
