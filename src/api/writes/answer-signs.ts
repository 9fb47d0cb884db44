import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** Success or failure as reported in the body of an answer. */
interface Signs {
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

/** Whether a member of this name is about the answer: it does not make an object a record. */
export function isSignName(name: string): boolean {
  return isStateName(name) || /^(?:message|msg|title|type|detail|details)$/i.test(name)
}

/** Whether a member of this name reports success or failure. */
function isStateName(name: string): boolean {
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
