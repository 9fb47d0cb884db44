import type { JsonObject, JsonValue } from '../../core/json.ts'
import { isSignName } from './answer-signs.ts'
import { contradictionIn } from './contradiction.ts'
import { isWrapperName } from './shown-record.ts'

type Change = 'update' | 'delete'

/** Numbers of changed records; for an update, records that only matched do not count. */
const COUNT: Readonly<Record<Change, RegExp>> = {
  update:
    /^(?:count|n_?modified|(?:updated|modified|changed|affected)(?:_?(?:count|rows|records))?|rows_?(?:affected|updated)|row_?count)$/i,
  delete: /^(?:count|n|(?:deleted|affected|removed)(?:_?(?:count|rows|records))?|rows_?affected|row_?count)$/i,
}
/** `delete_contacts_by_pk`, `deletedContact`: null if the record was not found. */
const NAMED_RESULT = /delet|remov|destroy|updat/i
const YES = /^(?:true|ok|okay|done|success|deleted|removed)[.!]?$/i
/** Beside `success: true`: the change was only queued, or did not happen. */
const NOT_DONE =
  /\b(?:0|zero|nothing|none|not|no|no-?op)\b|\b(?:cannot|can't|could|unable|lack|error|fail|denied|invalid|forbidden|unauthori[sz]ed|queued?|pending|await|scheduled?|will|accepted|started|request)/i
/** A text with these words is no confirmation. */
const CONDITIONAL = /\b(?:can|be|only|must|should|would|if|unless|until|already|marked)\b/i
const CONFIRMED: Readonly<Record<Change, RegExp>> = {
  update: /\b(?:updated|modified|changed|saved)\b/i,
  delete: /\b(?:deleted|removed|destroyed)\b/i,
}
/** Successes of another kind of write. */
const OTHER_CHANGE: Readonly<Record<Change, RegExp>> = {
  update: /^(?:created|deleted|removed)$/i,
  delete: /^(?:created|updated)$/i,
}
const REPORTS: Readonly<Record<Change, readonly string[]>> = {
  update: ['updated'],
  delete: ['deleted', 'acknowledged'],
}

/** Whether an object without a record reports that the record was changed or deleted. */
export function isChangeConfirmed(change: Change, answer: JsonObject, isAffirming: boolean): boolean {
  if (contradictionIn(answer, { kind: change, sent: {}, isRecord: false }) !== 'none') return false
  const members = Object.entries(answer)
  const counts = members.filter(([name, value]) => COUNT[change].test(name) && typeof value === 'number')
  if (counts.length > 0) return isCounted(change, counts)
  if (members.some(([name, value]) => value === null && NAMED_RESULT.test(name))) return false
  if (change === 'delete' && members.every(([name, value]) => value === null && isAnyName(name))) return true
  const isReported = REPORTS[change].some((name) => answer[name] === true)
  if (!(isAffirming || isReported || members.some(([name, value]) => isConfirmation(change, name, value)))) return false
  return members.length > 0 && members.every(([name, value]) => isHarmless(change, name, value))
}

/** An update must change exactly one record. */
function isCounted(change: Change, counts: readonly (readonly [string, JsonValue])[]): boolean {
  return change === 'update' ? counts.every(([, value]) => value === 1) : counts.some(([, value]) => Number(value) > 0)
}

/** `{"message": "Contact deleted successfully"}` */
function isConfirmation(change: Change, name: string, value: JsonValue): boolean {
  if (!/^(?:message|msg)$/i.test(name) || typeof value !== 'string') return false
  return CONFIRMED[change].test(value) && /\bsuccess(?:ful(?:ly)?)?\b/i.test(value) && !CONDITIONAL.test(value)
}

function isHarmless(change: Change, name: string, value: JsonValue): boolean {
  // For an update, `data: null` may mean that the record was not found.
  if (value === null) return change === 'delete' || isSignName(name)
  if (REPORTS[change].includes(name)) return !(Array.isArray(value) && value.length === 0)
  if (!isSignName(name)) return false
  return !(typeof value === 'string' && (NOT_DONE.test(value.replaceAll('_', ' ')) || OTHER_CHANGE[change].test(value)))
}

/** Whether null in this member is equivalent to an empty body. */
function isAnyName(name: string): boolean {
  return isSignName(name) || isWrapperName(name)
}

/** A text that only confirms. */
export function isShortYes(text: string): boolean {
  return YES.test(text.trim())
}
