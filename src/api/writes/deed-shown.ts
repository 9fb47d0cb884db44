import type { JsonObject, JsonValue } from '../../core/json.ts'
import { isSignName } from './answer-signs.ts'
import { oppositionIn } from './opposition.ts'
import { isWrapperName } from './shown-record.ts'

type Deed = 'update' | 'delete'

/** Numbers of changed records; of an update, those that only matched do not count. */
const COUNT: Readonly<Record<Deed, RegExp>> = {
  update:
    /^(?:count|n_?modified|(?:updated|modified|changed|affected)(?:_?(?:count|rows|records))?|rows_?(?:affected|updated)|row_?count)$/i,
  delete: /^(?:count|n|(?:deleted|affected|removed)(?:_?(?:count|rows|records))?|rows_?affected|row_?count)$/i,
}
/** `delete_contacts_by_pk`, `deletedContact`: null if it did not find the record. */
const NAMED_RESULT = /delet|remov|destroy|updat/i
const YES = /^(?:true|ok|okay|done|success|deleted|removed)[.!]?$/i
/** Beside `success: true`: the change was only queued, or did not happen. */
const NOT_DONE =
  /\b(?:0|zero|nothing|none|not|no|no-?op)\b|\b(?:cannot|can't|could|unable|lack|error|fail|denied|invalid|forbidden|unauthori[sz]ed|queued?|pending|await|scheduled?|will|accepted|started|request)/i
/** A text with these confirms nothing by itself. */
const CONDITIONAL = /\b(?:can|be|only|must|should|would|if|unless|until|already|marked)\b/i
const CONFIRMED: Readonly<Record<Deed, RegExp>> = {
  update: /\b(?:updated|modified|changed|saved)\b/i,
  delete: /\b(?:deleted|removed|destroyed)\b/i,
}
/** Successes of another kind of write. */
const OTHER_DEED: Readonly<Record<Deed, RegExp>> = {
  update: /^(?:created|deleted|removed)$/i,
  delete: /^(?:created|updated)$/i,
}
const REPORTS: Readonly<Record<Deed, readonly string[]>> = { update: ['updated'], delete: ['deleted', 'acknowledged'] }

/** Whether an object without a record reports that the record was changed or deleted. */
export function isDeedShown(deed: Deed, answer: JsonObject, isAffirming: boolean): boolean {
  if (oppositionIn(answer, { kind: deed, sent: {}, isRecord: false }) !== 'none') return false
  const members = Object.entries(answer)
  const counts = members.filter(([name, value]) => COUNT[deed].test(name) && typeof value === 'number')
  if (counts.length > 0) return isCounted(deed, counts)
  if (members.some(([name, value]) => value === null && NAMED_RESULT.test(name))) return false
  if (deed === 'delete' && members.every(([name, value]) => value === null && isAnyName(name))) return true
  const isReported = REPORTS[deed].some((name) => answer[name] === true)
  if (!(isAffirming || isReported || members.some(([name, value]) => isConfirmation(deed, name, value)))) return false
  return members.length > 0 && members.every(([name, value]) => isHarmless(deed, name, value))
}

/** An update of one record that changed several is none that was asked for. */
function isCounted(deed: Deed, counts: readonly (readonly [string, JsonValue])[]): boolean {
  return deed === 'update' ? counts.every(([, value]) => value === 1) : counts.some(([, value]) => Number(value) > 0)
}

/** `{"message": "Contact deleted successfully"}` */
function isConfirmation(deed: Deed, name: string, value: JsonValue): boolean {
  if (!/^(?:message|msg)$/i.test(name) || typeof value !== 'string') return false
  return CONFIRMED[deed].test(value) && /\bsuccess(?:ful(?:ly)?)?\b/i.test(value) && !CONDITIONAL.test(value)
}

function isHarmless(deed: Deed, name: string, value: JsonValue): boolean {
  // To an update, `data: null` may be a record that was not found.
  if (value === null) return deed === 'delete' || isSignName(name)
  if (REPORTS[deed].includes(name)) return !(Array.isArray(value) && value.length === 0)
  if (!isSignName(name)) return false
  return !(typeof value === 'string' && (NOT_DONE.test(value.replaceAll('_', ' ')) || OTHER_DEED[deed].test(value)))
}

/** Whether a null as this member says no more than an empty body. */
function isAnyName(name: string): boolean {
  return isSignName(name) || isWrapperName(name)
}

/** A text that only confirms. */
export function isShortYes(text: string): boolean {
  return YES.test(text.trim())
}
