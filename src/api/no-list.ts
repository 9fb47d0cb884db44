import { isJsonObject } from '../core/json.ts'
import type { Answer } from './answer.ts'
import { signsOf } from './answer-signs.ts'
import { quotedIn } from './fate-failure.ts'
import type { PageWire } from './page-answer.ts'
import { ITEM_PLACES, type Place } from './page-shapes.ts'
import { parseJson } from './parse-answer.ts'
import { readProblem } from './problem.ts'
import { valueAt, valueAtPath } from './value-at.ts'

/**
 * What an answer without records says: a refusal, which is no empty list, as a clause; or that there are none, by 204 or
 * by null where the list would be, as the place of it. Undefined where it is to be read as a list.
 */
export function readNoList(answer: Answer, wire: PageWire): Place | string | undefined {
  const { status, json } = answer
  if (status === 204 && json === undefined) return []
  if (!isJsonObject(json)) return undefined
  const { isRefusing, isTroubled } = signsOf(json)
  if (isRefusing || isTroubled) {
    const quoted = quotedIn(answer)
    return `the server refuses within its answer (${status}): ${readProblem(quoted, parseJson(quoted)).message}`
  }
  const places = wire.itemsPath === undefined ? ITEM_PLACES.filter(({ length }) => length === 1) : []
  const found = places.some((place) => Array.isArray(valueAt(json, place)))
  const at = places.find((place) => valueAt(json, place) === null)
  if (wire.itemsPath !== undefined && valueAtPath(json, wire.itemsPath) === null) return wire.itemsPath.split('.')
  return found ? undefined : at
}
