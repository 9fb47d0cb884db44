import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { type Path, readFirst } from './paths.ts'

/** An object whose members pass under their own names. */
export interface PassedPlace {
  readonly path: Path
  /** Undefined for a member that is not shown. */
  shownName(own: string): string | undefined
}

interface Move {
  readonly own: string
  readonly shown: string
}

/** The names of the records of one form. */
interface Layout {
  /** Of each place, in their order. */
  readonly keys: readonly (readonly string[])[]
  readonly moves: readonly (readonly Move[])[]
  /** All names in their order, without values. */
  readonly empty: JsonObject
}

/** Records of a list have few forms; a server that sends more gets a new one each time. */
const MOST_LAYOUTS = 200

/**
 * Makes the records of a list: first the names of crm, which the caller fills in, then the members of the places. Copying an
 * object that has all names already is twice as fast as adding them one by one, and so is writing it as JSON: V8 keeps an
 * object as a table after a dozen names were added by computed keys.
 */
export function createLayouts(
  crmNames: readonly string[],
  places: readonly PassedPlace[],
  shape: ((value: JsonValue) => JsonValue) | undefined,
): (inner: JsonObject) => JsonObject {
  const layouts = new Map<string, Layout>()
  let last: Layout | undefined
  const find = (objects: readonly (JsonObject | undefined)[]): Layout => {
    const keys = objects.map((object) => (object ? Object.keys(object) : []))
    const form = JSON.stringify(keys)
    const layout = layouts.get(form) ?? layoutOf(crmNames, places, keys)
    if (layouts.size < MOST_LAYOUTS) layouts.set(form, layout)
    return layout
  }
  const [only] = places
  const isFlat = places.length === 1 && only?.path.steps.length === 0
  return (inner) => {
    const objects = isFlat ? [inner] : places.map(({ path }) => objectAt(path, inner))
    if (!last || !isOf(last, objects)) last = find(objects)
    const { empty, moves } = last
    const record = { ...empty }
    for (let at = 0; at < objects.length; at++) {
      const object = objects[at]
      if (object) fillIn(record, object, moves[at] as readonly Move[], shape)
    }
    return record
  }
}

function objectAt(path: Path, inner: JsonObject): JsonObject | undefined {
  if (path.steps.length === 0) return inner
  const object = readFirst(path, inner)
  return isJsonObject(object) ? object : undefined
}

function fillIn(
  record: JsonObject,
  object: JsonObject,
  moves: readonly Move[],
  shape: ((value: JsonValue) => JsonValue) | undefined,
): void {
  for (const { own, shown } of moves) {
    const value = object[own] as JsonValue
    record[shown] = shape ? shape(value) : value
  }
}

function isOf({ keys }: Layout, objects: readonly (JsonObject | undefined)[]): boolean {
  for (let at = 0; at < keys.length; at++) if (!hasKeys(objects[at], keys[at] ?? [])) return false
  return true
}

function hasKeys(object: JsonObject | undefined, keys: readonly string[]): boolean {
  let at = 0
  // The objects come from JSON.parse: every name is their own. Object.keys would make a list of them.
  for (const name in object) if (keys[at++] !== name) return false
  return at === keys.length
}

function layoutOf(
  crmNames: readonly string[],
  places: readonly PassedPlace[],
  keys: readonly (readonly string[])[],
): Layout {
  const names = new Set(crmNames)
  const moves = places.map(({ shownName }, at) =>
    (keys[at] ?? []).flatMap((own): Move[] => {
      const shown = shownName(own)
      if (shown === undefined || names.has(shown)) return []
      names.add(shown)
      return [{ own, shown }]
    }),
  )
  // Parsed, so that `__proto__` is a name like any other.
  const empty = JSON.parse(`{${[...names].map((name) => `${JSON.stringify(name)}:null`).join(',')}}`)
  return { keys, moves, empty }
}
