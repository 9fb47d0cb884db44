import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { Answer } from '../transport/answer.ts'
import { valueAt, valueAtPath } from '../value-at.ts'
import { signsOf } from '../writes/answer-signs.ts'
import { refusalIn } from './list-refusal.ts'
import type { PageWire } from './page-shapes.ts'
import { ITEM_PLACES, type Place } from './page-shapes.ts'

/**
 * Reads an answer without records: a clause for a refusal; the place of the list if there are no records (204, or null
 * instead of the list). Undefined if the answer is to be read as a list.
 */
export function readNoList(answer: Answer, wire: PageWire): Place | string | undefined {
  const { status, json } = answer
  if (status === 204 && json === undefined) return []
  if (!isJsonObject(json)) return undefined
  const { isRefusing, isTroubled } = signsOf(json)
  if (isRefusing || isTroubled) return refusalIn(answer)
  const places = wire.itemsPath === undefined ? ITEM_PLACES.filter(({ length }) => length === 1) : []
  const lists = [...places, wire.itemsPath?.split('.') ?? []].map((place) => valueAt(json, place)).filter(Array.isArray)
  if (lists.length > 0 && lists.every(({ length }) => length === 0) && isUnfinished(status, json)) {
    return `the server is still preparing the list (${status}), and sent an empty one`
  }
  const found = places.some((place) => Array.isArray(valueAt(json, place)))
  const at = places.find((place) => valueAt(json, place) === null)
  if (wire.itemsPath !== undefined && valueAtPath(json, wire.itemsPath) === null) return wire.itemsPath.split('.')
  return found ? undefined : at
}

/** `status: "processing"`, or 202 for a read. */
function isUnfinished(status: number, json: JsonObject): boolean {
  const state = json.status ?? json.state
  const isAtWork =
    typeof state === 'string' &&
    /^(?:\w+ing|queued|scheduled|started|in[\s_-]?progress|not[\s_-]?ready|busy)$/i.test(state)
  return status === 202 || isAtWork
}
