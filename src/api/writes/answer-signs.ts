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
const STATE = /^(?:status|result|response)$/i
const REFUSING_STATE =
  /(?:^|[\s_-])(?:errors?|err|fail(?:ed|ure)?|fault|invalid|rejected|refused|denied|unauthori[sz]ed|forbidden|exception|n?ko|nok)(?:$|[\s_-])/i
const AFFIRMING_STATE = /^(?:ok|okay|success|successful|succeeded|done|created|updated|deleted|removed)$/i
const STATUS_CODE = /^(?:http_?)?(?:status(?:_?code)?|code|response_?code)$/i
const TROUBLE =
  /^(?:errors?|err(?:code|msg)|error_?(?:code|message|msg|description|type|info|details?|list)|validation_?errors|exceptions?|fault(?:string)?)$/i
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

export function isTrouble(name: string, value: JsonValue): boolean {
  return TROUBLE.test(name) && !isNone(value)
}

export function isRefusingState(text: string): boolean {
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
  return [SUCCEEDED, FAILED, STATE, STATUS_CODE, TROUBLE].some((kind) => kind.test(name))
}

export function isRefusing(name: string, value: JsonValue): boolean {
  if (SUCCEEDED.test(name)) return isFalse(value)
  if (FAILED.test(name)) return value === true || value === 'true'
  const code = STATUS_CODE.test(name) ? codeIn(value) : undefined
  if (code !== undefined) return code >= 400 && code <= 599
  return STATE.test(name) && (value === false || (typeof value === 'string' && REFUSING_STATE.test(value)))
}

function isAffirming(name: string, value: JsonValue): boolean {
  if (SUCCEEDED.test(name)) return value === true || value === 1 || value === 'true'
  const code = STATUS_CODE.test(name) ? codeIn(value) : undefined
  if (code !== undefined) return code >= 200 && code <= 299
  return STATE.test(name) && (value === true || (typeof value === 'string' && AFFIRMING_STATE.test(value)))
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
export function isPendingName(name: string): boolean {
  const words = snakeCase(name)
  return WAITING.test(words) || CONDITION.test(words)
}

export function isPendingMember(name: string, value: JsonValue): boolean {
  return isPendingName(name) && (value === true || value === 'true' || isPendingDeletion(name, value))
}

/** `status: "pending_deletion"`, `deletion_scheduled_at: "2026-11-30"`: not data of the record that was to be deleted. */
export function isPendingDeletion(name: string, value: JsonValue): boolean {
  if (typeof value === 'string' && DELETION.test(value.toLowerCase()) && isPendingState(value)) return true
  return isPendingName(name) && DELETION.test(name.toLowerCase()) && (value === true || isText(value))
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
