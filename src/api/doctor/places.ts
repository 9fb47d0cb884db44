import { isJsonObject, type JsonValue } from '../../core/json.ts'

export interface Member {
  /** As settings name it: `payload.people`. */
  readonly path: string
  readonly value: JsonValue
}

const DEEPEST = 3

/** The members of an answer and of the objects in it, but not of what stands in lists; those whose names settings can hold. */
export function membersOf(json: JsonValue | undefined, above = '', depth = 0): readonly Member[] {
  if (!isJsonObject(json) || depth === DEEPEST) return []
  return Object.entries(json).flatMap(([name, value]) => {
    if (name.trim() === '') return []
    const path = above === '' ? name : `${above}.${name}`
    return [{ path, value }, ...membersOf(value, path, depth + 1)]
  })
}

export function isRecordList(value: JsonValue): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isJsonObject)
}
