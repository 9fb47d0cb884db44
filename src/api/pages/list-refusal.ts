import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { readProblem } from '../errors/problem.ts'
import type { Answer } from '../transport/answer.ts'
import { parseJson } from '../transport/parse-answer.ts'
import { isSignName, signsOf } from '../writes/answer-signs.ts'
import { quotedIn } from '../writes/outcome-failure.ts'

const CODE = /^(?:(?:http|response|result|return|ret|reply|status|api)_?)?code$|^ret$|^errno$/i
const TEXT = /^(?:(?:error|response|result|return|ret|reply|status)_?)?(?:message|msg|text|desc|detail|reason)$/i
const SUCCESS_CODE = /^(?:0+|1|2\d\d|10000|20000|[a-z]*[\s_-]?(?:ok|okay|success(?:ful|fully)?|succeeded|done))$/i
const SUCCESS_TEXT =
  /^\s*(?:|ok|okay|done|true|none|null)\W*$|success|成功|\b(?:retrieved|fetched|loaded|listed|returned|found|completed?|empty|nothing|no|0|zero)\b/i
/** Texts about keys, permissions and quotas, which an empty list does not explain: `No permission`, `User not found`. */
const FAILURE_TEXT =
  /\bunsuccessful\b|\b(?:errors?|fail\w*|invalid|expired|disputed|unauthori[sz]ed|not authori[sz]ed|not allowed|forbidden|permissions?|access|quota|exceeded|unavailable|missing|required|disabled|suspended|(?:key|token|user|account|tenant|session|api|route|endpoint|page|resource|path|url) (?:was |is |does )?not|no (?:such )?(?:api|key|token|user|account|tenant|session|route|endpoint|subscription|licen[cs]e))\b/i
/** Objects beside a list that are about the answer. */
const ABOUT = /^(?:meta|metadata|head|header|(?:response|result)_?(?:header|status|info|metadata)|status|info)$/i
/** The id of a record, not that of the request. */
const IDENTITY = /^(?!(?:request|trace|correlation|log|error|event)_?id$)(?:.*[a-z\d]_?)?_?id$/i

/** A clause with the reason if a list is a refusal: an error instead of a record, or beside an empty list. */
export function listRefusal(answer: Answer, items: readonly JsonValue[]): string | undefined {
  const isRefused = items.length === 0 ? isEmptyRefused(answer.json) : items.some(isErrorRecord)
  return isRefused ? refusalIn(answer) : undefined
}

export function refusalIn(answer: Answer): string {
  const quoted = quotedIn(answer)
  return `the server refuses within its answer (${answer.status}): ${readProblem(quoted, parseJson(quoted)).message}`
}

/** An object without an id, most of whose members belong to an error. */
function isErrorRecord(item: JsonValue): boolean {
  if (!isJsonObject(item)) return false
  const names = Object.keys(item)
  if (names.some((name) => IDENTITY.test(name))) return false
  const { isRefusing, isTroubled } = signsOf(item)
  return (isRefusing || isTroubled) && names.filter(isSignName).length * 2 >= names.length
}

function isEmptyRefused(json: JsonValue | undefined): boolean {
  if (!isJsonObject(json)) return false
  const abouts = [json, ...Object.keys(json).flatMap((name) => (ABOUT.test(name) ? [json[name] ?? null] : []))]
  const objects = abouts.filter(isJsonObject)
  const signs = objects.map(signsOf)
  if (signs.some(({ isRefusing, isTroubled }) => isRefusing || isTroubled)) return true
  const codes = objects.flatMap((object) => valuesAt(object, CODE))
  const isAffirmed = signs.some(({ isAffirming }) => isAffirming) || codes.some((code) => SUCCESS_CODE.test(code))
  const texts = objects.flatMap((object) => valuesAt(object, TEXT))
  if (isAffirmed || texts.some(isSuccessText)) return false
  return codes.length > 0 || texts.some((text) => !SUCCESS_TEXT.test(text) || FAILURE_TEXT.test(text))
}

function isSuccessText(text: string): boolean {
  return /^\W*(?:ok|okay|success(?:ful|fully)?|成功)\W*$/i.test(text)
}

/** Non-empty texts and numbers under these names. */
function valuesAt(object: JsonObject, names: RegExp): readonly string[] {
  return Object.entries(object).flatMap(([name, value]) =>
    names.test(name) && (typeof value === 'string' || typeof value === 'number') && value !== '' ? [String(value)] : [],
  )
}
