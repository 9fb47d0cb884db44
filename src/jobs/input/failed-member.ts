import { parseExactJson } from '../../core/exact-json.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { FailureCells } from './failed-cells.ts'
import { FAILED_MEMBER } from './known-fields.ts'

/** The user's object on one line, unchanged, with the failure as its last member. */
export function failedObject(json: string, [line, code, field, reason]: FailureCells): string {
  const told = JSON.stringify({ line: Number(line), code, field: field === '' ? null : field, reason })
  const own = withoutTold(json.replace(/\s*[\r\n]\s*/g, ' ').trim())
  const body = own.slice(0, -1).trimEnd()
  return `${body}${body === '{' ? '' : ','}"${FAILED_MEMBER}":${told}}`
}

/** A line of an earlier failed-rows file ends with the failure of that time. */
function withoutTold(json: string): string {
  if (!json.includes(`"${FAILED_MEMBER}"`)) return json
  const value = parseExactJson(json)
  if (!isJsonObject(value) || !Object.hasOwn(value, FAILED_MEMBER)) return json
  const { [FAILED_MEMBER]: told, ...own } = value as JsonObject
  const ending = `"${FAILED_MEMBER}":${JSON.stringify(told)}}`
  return json.endsWith(ending) ? `${json.slice(0, -ending.length).replace(/,$/, '')}}` : JSON.stringify(own)
}
