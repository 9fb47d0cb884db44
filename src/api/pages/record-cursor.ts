import { idText } from '../../core/exact-json.ts'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { valueAt } from '../value-at.ts'
import type { Sign } from './envelope.ts'
import type { Place } from './page-shapes.ts'

/** The `cursor` of the last record or its edge (Relay connection specification), when each record has a different one. */
export function recordCursor(json: JsonValue, { place }: { readonly place: Place }): Sign | undefined {
  const list = valueAt(json, place)
  if (!Array.isArray(list) || list.length < 2) return undefined
  const cursors = list.map((each) => (isJsonObject(each) ? idText(each.cursor) : undefined))
  const isEach = new Set(cursors).size === list.length && !cursors.includes(undefined)
  return isEach
    ? { at: 'the cursor of the last record', ownName: 'cursor', value: cursors.at(-1), isHint: true }
    : undefined
}
