import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { oneLine } from '../errors/one-line.ts'
import { type Call, cannot } from './call.ts'
import { MAX_JSON_DEPTH, surveyJson } from './survey-json.ts'

/** The body of a request; CrmError `invalid_input` for what JSON cannot hold: it would make null of NaN, without a word. */
export function requestText(call: Call, body: JsonObject): string {
  if (surveyJson(body).isTooDeep) {
    const message = `${cannot(call)}: the record is nested more than ${MAX_JSON_DEPTH} levels deep`
    throw new CrmError('invalid_input', message, { hint: `${call.command} --help` })
  }
  return JSON.stringify(body, (name, value: unknown) => {
    const type = typeof value
    const isHeld = type === 'number' ? Number.isFinite(value) : !['bigint', 'function', 'symbol'].includes(type)
    if (isHeld) return value
    const shown = oneLine(type === 'function' ? 'a function' : String(value), 60)
    throw new CrmError('invalid_input', `${cannot(call)}: ${oneLine(name, 60)} is ${shown}, which JSON does not hold`, {
      hint: 'expected text, a finite number, true, false, null, a list or an object; a larger number as text',
    })
  })
}
