import type { JsonObject } from '../core/json.ts'
import { isSignName } from './answer-signs.ts'
import { isWrapperName } from './shown-record.ts'

const COUNT = /^(?:count|n|(?:deleted|affected|removed)(?:_?(?:count|rows|records))?|rows_?affected)$/i
/** `delete_contacts_by_pk`, `deletedContact`: null if it did not find the record. */
const NAMED_RESULT = /delet|remov|destroy|updat/i
const YES = /^(?:true|ok|okay|done|success|deleted|removed)[.!]?$/i
/** Beside `success: true`: the deletion was only queued, or did not happen. */
const NOT_DONE =
  /\b(?:0|zero|nothing|none|not|no|cannot|can't|could|unable|lack|error|fail|denied|invalid|forbidden|unauthori[sz]ed|queued?|pending|await|scheduled?|will|accepted|started|request)/i

/** Whether an object without a record reports a deletion. */
export function isDeletionShown(answer: JsonObject, isAffirming: boolean): boolean {
  const members = Object.entries(answer)
  const counts = members.filter(([name, value]) => COUNT.test(name) && typeof value === 'number')
  if (counts.length > 0) return counts.some(([, value]) => Number(value) > 0)
  // Like an empty body; a null as the count of deleted records, or as the result of a named operation, is not.
  if (members.some(([name, value]) => value === null && NAMED_RESULT.test(name))) return false
  if (members.every(([name, value]) => value === null && isAnyName(name))) return true
  if (!(isAffirming || answer.deleted === true || answer.acknowledged === true)) return false
  return members.every(([name, value]) => {
    if (value === null || name === 'deleted' || name === 'acknowledged') return true
    return isSignName(name) && !(typeof value === 'string' && NOT_DONE.test(value))
  })
}

/** Whether a null as this member says no more than an empty body. */
function isAnyName(name: string): boolean {
  return isSignName(name) || isWrapperName(name)
}

/** A text that only confirms. */
export function isShortYes(text: string): boolean {
  return YES.test(text.trim())
}
