import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** States of work that is not done. */
const STATES = /^(?:processing|in_progress|accepted|running|started|submitted)$/

const WAITING = /(?:^|_)(?:pending|(?:en)?queued|scheduled|awaiting|waiting|deferred)(?:_|$)/

const CONDITION = /(?:^|_)(?:requires?|needs?)_(?:approval|confirmation|review)$/

const DELETION = /delet|remov|purge|destr/

/** Success or failure as reported in the body of an answer. */
export interface Signs {
  /** `success: false`, `status: "error"`, `statusCode: 422`. */
  readonly isRefusing: boolean
  /** An `error` or `errors` that holds something. */
  readonly isTroubled: boolean
  /** `ok: true`, `status: "success"`. */
  readonly isAffirming: boolean
}

const SUCCEEDED = /^(?:is_?)?(?:success(?:ful|fully)?|ok|succeeded)$/i
const FAILED = /^(?:(?:is|has|have)_?(?:errors?|failed)|failed)$/i
const OUTCOME_STATE = /^(?:status|result|response)$/i
const REFUSING_STATE =
  /(?:^|[\s_-])(?:errors?|err|fail(?:ed|ure)?|fault|invalid|rejected|refused|denied|unauthori[sz]ed|forbidden|exception|n?ko|nok)(?:$|[\s_-])/i
const AFFIRMING_STATE = /^(?:ok|okay|success|successful|succeeded|done|created|updated|deleted|removed)$/i
const STATUS_CODE = /^(?:http_?)?(?:status(?:_?code)?|code|response_?code)$/i
const TROUBLE =
  /^(?:errors?|err(?:code|msg)|error_?(?:code|message|msg|description|type|info|details?|list)|(?:has_?)?validation_?errors|exceptions?|fault(?:string)?)$/i
/** Values of `error` that mean that there is none. */
const NO_TROUBLE = /^(?:|0|ok|okay|none|null|false|no[\s_-]?errors?|success)$/i

export function signsOf(object: JsonObject): Signs {
  const entries = Object.entries(object)
  return {
    isRefusing: entries.some(([name, value]) => isRefusing(name, value)),
    isTroubled: isTroubled(object),
    isAffirming: entries.some(([name, value]) => isAffirming(name, value)),
  }
}

function isTroubled(object: JsonObject): boolean {
  return Object.entries(object).some(([name, value]) => isTrouble(name, value))
}

function isTrouble(name: string, value: JsonValue): boolean {
  return TROUBLE.test(name) && !isNone(value)
}

function isRefusingState(text: string): boolean {
  return REFUSING_STATE.test(text)
}

/** Whether an object has an HTTP error status as a member, like the parts of a 207. */
export function hasRefusingStatus({ status, statusCode, status_code }: JsonObject): boolean {
  return [status, statusCode, status_code].some((value = null) => (codeIn(value) ?? 0) >= 400)
}

/** Whether a member of this name is about the answer: it does not make an object a record. */
export function isSignName(name: string): boolean {
  return isStateName(name) || /^(?:message|msg|title|type|detail|details)$/i.test(name)
}

/** Whether a member of this name reports success or failure. */
export function isStateName(name: string): boolean {
  return [SUCCEEDED, FAILED, OUTCOME_STATE, STATUS_CODE, TROUBLE].some((kind) => kind.test(name))
}

function isRefusing(name: string, value: JsonValue): boolean {
  if (SUCCEEDED.test(name)) return isFalse(value)
  if (FAILED.test(name)) return value === true || value === 'true'
  const code = STATUS_CODE.test(name) ? codeIn(value) : undefined
  if (code !== undefined) return code >= 400 && code <= 599
  return OUTCOME_STATE.test(name) && (value === false || (typeof value === 'string' && REFUSING_STATE.test(value)))
}

function isAffirming(name: string, value: JsonValue): boolean {
  if (SUCCEEDED.test(name)) return value === true || value === 1 || value === 'true'
  const code = STATUS_CODE.test(name) ? codeIn(value) : undefined
  if (code !== undefined) return code >= 200 && code <= 299
  return OUTCOME_STATE.test(name) && (value === true || (typeof value === 'string' && AFFIRMING_STATE.test(value)))
}

function isFalse(value: JsonValue): boolean {
  return value === false || value === 0 || value === 'false' || value === '0'
}

function codeIn(value: JsonValue): number | undefined {
  const isCode = typeof value === 'number' || (typeof value === 'string' && /^\d{3}$/.test(value))
  return isCode ? Number(value) : undefined
}

function isNone(value: JsonValue): boolean {
  if (value === null || value === false || value === 0) return true
  if (typeof value === 'string') return NO_TROUBLE.test(value.trim())
  if (Array.isArray(value)) return value.every(isNone)
  return isJsonObject(value) && Object.values(value).every(isNone)
}

/** `pending_approval`, `Scheduled for deletion`. */
export function isPendingState(text: string): boolean {
  const words = snakeCase(text)
  return STATES.test(words) || WAITING.test(words)
}

/** Whether a member of this name reports that the write waits for something: `scheduled_for_deletion`, `requiresApproval`. */
function isPendingName(name: string): boolean {
  const words = snakeCase(name)
  return WAITING.test(words) || CONDITION.test(words)
}

export function isPendingMember(name: string, value: JsonValue): boolean {
  return isPendingName(name) && (value === true || value === 'true' || isPendingDeletion(name, value))
}

/** `status: "pending_deletion"`, `deletion_scheduled_at: "2026-11-30"`: not data of the record that was to be deleted. */
function isPendingDeletion(name: string, value: JsonValue): boolean {
  if (typeof value === 'string' && isDeletionAhead(value)) return true
  return isPendingName(name) && DELETION.test(name.toLowerCase()) && (value === true || isText(value))
}

/** `pending_deletion`, `deletion_requested`, `deleting`. */
function isDeletionAhead(text: string): boolean {
  const words = snakeCase(text)
  return DELETION.test(words) && (isPendingState(words) || /(?:^|_)(?:requested|in_progress|\w+ing)(?:_|$)/.test(words))
}

function isText(value: JsonValue): boolean {
  return typeof value === 'string' && !/^(?:false|no|)$/i.test(value)
}

function snakeCase(text: string): string {
  return text
    .trim()
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase()
}

/** PostgREST states in `Content-Range` how many records a write matched: any range of 0. */
export function matchesNone(headers: IncomingHttpHeaders): boolean {
  return /^(?:\w+\s+)?\*\/0$/.test(headers['content-range'] ?? '')
}

export type WriteKind = 'create' | 'update' | 'delete'

/** Whether an object with an id contradicts the success of the write; `explained` with a reason in words. */
type Contradiction = 'none' | 'vague' | 'explained'

const STATE = /^(?:status|state|result|outcome|type|kind|object)$/i

const KIND = /^(?:type|kind|object)$/i

const UNDONE = /^(?:no[\s_-]?op|unchanged|not[\s_-]?(?:found|modified)|skipped|ignored|duplicate|conflict|locked)$/i

const OTHER_KIND = /^(?:job|task|operation|request|process|batch|error|problem|exception)s?$/i

const PASSED_OVER = /^(?:is_?)?(?:skipped|duplicated?|ignored|rejected|no_?op|dry_?run|simulated)$/i

/** Members that report whether the operation happened. */
const CHANGES: Readonly<Record<WriteKind, RegExp>> = {
  create: /^(?:is_?)?(?:created|inserted|saved|added)$/i,
  update: /^(?:is_?)?(?:updated|modified|changed|saved|applied)$/i,
  delete: /^(?:is_?)?(?:deleted|removed|destroyed)$/i,
}

const ARCHIVED = /^(?:is_?)?archived$/i

const DELETED_AT = /^(?:deleted|archived|removed|destroyed)_?(?:at|on|date|time)$/i

const REASON = /^(?:message|msg|reasons?|why|cause|explanation|notices?|details?|error_?(?:message|description))$/i

/** Beside the id of the record alone, they report what was not applied to it. */
const COMPLAINT = /^(?:warnings?|violations?|failures?|messages|error_?messages|validation_?messages)$/i

/** A reason that denies the change: `cannot delete: has deals`. */
const DENIAL =
  /\b(?:cannot|can't|could not|couldn't|unable|not (?:deleted|updated|changed|allowed|permitted)|denied|failed)\b/i

export function isContradictionName(name: string): boolean {
  return (
    isPendingName(name) ||
    [STATE, PASSED_OVER, ARCHIVED, REASON, COMPLAINT, ...Object.values(CHANGES)].some((names) => names.test(name))
  )
}

/** `isRecord`: the object has data, so a status is data, too. Members that were sent are ignored. */
export function contradictionIn(
  values: JsonObject,
  { kind, sent, isRecord }: { readonly kind: WriteKind; readonly sent: JsonObject; readonly isRecord: boolean },
): Contradiction {
  if (hasRefusingStatus(values)) return 'explained'
  const entries = Object.entries(values).filter(
    ([name, value]) => !(isRecord && isData(kind, name, value)) && !(name in sent && sent[name] === value),
  )
  const reasons = entries.flatMap(([name, value]) => (REASON.test(name) ? [value] : []))
  const isReasoned = reasons.some(isFilled)
  const isExplained = isReasoned || entries.some(([name, value]) => COMPLAINT.test(name) && isFilled(value))
  if (entries.some(([name, value]) => isRefused(kind, name, value))) return isExplained ? 'explained' : 'vague'
  const isUnapplied = reasons.some(isDenial) || (isExplained && !isReasoned)
  if (kind !== 'create' && !isRecord && isUnapplied && !isReported(kind, entries)) return 'vague'
  const isCoded = isReasoned && !isRecord && isCode(values.code)
  return isCoded || entries.some(([name, value]) => isUnfinished(name, value)) ? 'vague' : 'none'
}

/** `cannot delete`, also as a value in a list or an object. */
function isDenial(value: JsonValue): boolean {
  if (typeof value === 'string') return DENIAL.test(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(isDenial)
}

/** A text or a list with something in it. */
function isFilled(value: JsonValue): boolean {
  return (typeof value === 'string' || Array.isArray(value)) && value.length > 0
}

function isReported(kind: WriteKind, entries: readonly (readonly [string, JsonValue])[]): boolean {
  return entries.some(([name, value]) => CHANGES[kind].test(name) && value === true)
}

/** Whether a member that looks like an outcome is data of a record. */
function isData(kind: WriteKind, name: string, value: JsonValue): boolean {
  if (kind === 'delete' && isPendingDeletion(name, value)) return false
  return STATE.test(name) || name === 'code' || isPendingName(name)
}

function isRefused(kind: WriteKind, name: string, value: JsonValue): boolean {
  if (isRefusing(name, value)) return true
  if (PASSED_OVER.test(name)) return value === true || value === 'true'
  if (CHANGES[kind].test(name)) return value === false || value === 0 || value === 'false'
  return STATE.test(name) && typeof value === 'string' && (isRefusingState(value) || UNDONE.test(value))
}

function isUnfinished(name: string, value: JsonValue): boolean {
  if (isTrouble(name, value) || isPendingMember(name, value)) return true
  if (!STATE.test(name) || isJsonObject(value) || typeof value !== 'string') return false
  return KIND.test(name) ? OTHER_KIND.test(value) : isPendingState(value) || isDeletionAhead(value)
}

/** Whether a record states that it is not deleted (`archived: false`, `deleted_at: null`), and nothing states that it is. */
export function isUndeleted(values: JsonObject): boolean {
  const entries = Object.entries(values)
  const isDeletion = (name: string) => CHANGES.delete.test(name) || ARCHIVED.test(name)
  const isDeleted = entries.some(([name, value]) =>
    isDeletion(name) ? value === true : DELETED_AT.test(name) && value !== null && value !== '',
  )
  if (isDeleted) return false
  return entries.some(([name, value]) =>
    isDeletion(name) ? value === false || value === 0 || value === 'false' : DELETED_AT.test(name),
  )
}

/** `VALIDATION_FAILED`, but not a customer number. */
function isCode(value: JsonValue | undefined): boolean {
  return (
    typeof value === 'string' &&
    /^[A-Za-z][A-Za-z_.-]*$/.test(value) &&
    !/^(?:ok|success|created|updated|deleted)$/i.test(value)
  )
}
