import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { READ_ONLY_FIELDS } from '../core/resources/registry.ts'
import type { ResourceDocument } from './document.ts'
import { type FieldMap, isCleared } from './field-map.ts'
import { compilePath, headsOf, type Path, patternTest, readFirst, type Step } from './paths.ts'

/** Members that no field maps, which keep the server's names. */
export interface OwnNames {
  /** A record with the names of crm, without values, and then these members. */
  start(inner: JsonObject): JsonObject
  /** The server's name of a shown one; undefined for a field of crm. */
  ownNameOf(shown: string): string | undefined
  /** The place where it is written, with `current`, the object in which fields begin now. */
  placeOf(own: string, current: JsonObject | undefined): OwnPlace
  /** Whether only the current record shows where the name belongs. */
  needsCurrent(own: string): boolean
  /** Values in the shape in which they are shown. */
  shaped(value: JsonValue): JsonValue
  /** An element of a list without the members that are never shown. */
  trimmed(element: JsonValue): JsonValue
}

export interface OwnPlace {
  readonly path: Path
  /** Undefined: it takes any name. */
  readonly isNamed: ((own: string) => boolean) | undefined
  /** Members that are shown as a field of this name; undefined for those that crm shows in another way. */
  readonly hidden: ReadonlyMap<string, string | undefined>
}

/** A server may name members as it likes, so that not every name is worth keeping. */
const MOST_NAMES = 10_000

export function compileOwnNames(document: ResourceDocument, fields: readonly FieldMap[]): OwnNames {
  const crmNames = new Set<string>([...READ_ONLY_FIELDS, ...fields.map(({ name }) => name)])
  const places = placesOf(document, fields)
  const withoutNames = places.filter(({ isNamed }) => isNamed === undefined)
  const matching = (own: string) => places.find(({ isNamed }) => isNamed?.(own))
  const holds = ({ path }: OwnPlace, own: string, current: JsonObject) => {
    const object = readFirst(path, current)
    return isJsonObject(object) && Object.hasOwn(object, own)
  }
  return {
    start: recordStart(namesInOrder(document, fields), places, { crmNames, shape: shapeOf(document) }),
    ownNameOf: (shown) => {
      if (crmNames.has(shown)) return undefined
      return shown.endsWith('_') && crmNames.has(shown.replace(/_+$/, '')) ? shown.slice(0, -1) : shown
    },
    placeOf: (own, current) =>
      matching(own) ??
      (current && places.find((place) => holds(place, own, current))) ??
      withoutNames[0] ??
      (places[0] as OwnPlace),
    needsCurrent: (own) => withoutNames.length > 1 && matching(own) === undefined,
    shaped: shapeOf(document) ?? ((value) => value),
    trimmed: trimmerOf(document),
  }
}

/** Where a record has what every record has, by crm's names; nothing of crm shows whether it is deleted. */
function systemPlaces({ id, created_at, updated_at, version, deleted }: ResourceDocument) {
  const all = [
    ['id', id.at],
    ['created_at', created_at?.at],
    ['updated_at', updated_at?.at],
    ['version', version],
    [undefined, deleted],
  ] as const
  return all.flatMap(([name, at]) => (at === undefined ? [] : [{ name, path: compilePath(at) }]))
}

/** The members of a record that the server sets. */
export function systemHeads(document: ResourceDocument): readonly string[] {
  return headsOf(systemPlaces(document).map(({ path }) => path))
}

function namesInOrder(document: ResourceDocument, fields: readonly FieldMap[]): string[] {
  const [id = 'id', ...given] = systemPlaces(document).flatMap(({ name }) => name ?? [])
  return [id, ...fields.map(({ name }) => name), ...given]
}

function placesOf(document: ResourceDocument, fields: readonly FieldMap[]): readonly OwnPlace[] {
  const inside = compilePath(document.inside).steps
  const system = systemPlaces(document)
  return document.others.map(({ at, names }) => {
    const path = compilePath(at)
    const base = [...inside, ...path.steps]
    const hidden = new Map<string, string | undefined>()
    for (const other of document.others) hide(hidden, base, [...inside, ...compilePath(other.at).steps], undefined)
    for (const { name, read } of wholeReads(fields)) {
      // A list or an object has more than its field shows.
      const steps = [...inside, ...read.steps]
      if (steps.length === base.length + 1) hide(hidden, base, steps, name)
    }
    for (const { name, path: at } of system) hide(hidden, base, at.steps, name)
    for (const name of document.hidden) {
      const field = fields.find(({ writes }) => headsOf(writes).includes(name))
      hide(hidden, base, [...inside, { type: 'member', name }], field?.name)
    }
    return { path, isNamed: names === undefined ? undefined : patternTest(names), hidden }
  })
}

/** The fields that show the value of one member. */
function wholeReads(fields: readonly FieldMap[]): readonly { readonly name: string; readonly read: Path }[] {
  return fields.flatMap(({ name, reads: [read, ...more], document: { join } }) =>
    join || more.length > 0 || !read ? [] : [{ name, read }],
  )
}

/** Hides the member of the place through which the path leads. */
function hide(
  hidden: Map<string, string | undefined>,
  base: readonly Step[],
  steps: readonly Step[],
  shownAs: string | undefined,
): void {
  const step = steps[base.length]
  const isBelow = base.every((each, at) => JSON.stringify(each) === JSON.stringify(steps[at]))
  if (isBelow && step?.type === 'member' && !hidden.has(step.name)) hidden.set(step.name, shownAs)
}

interface Showing {
  readonly crmNames: ReadonlySet<string>
  readonly shape: ((value: JsonValue) => JsonValue) | undefined
}

/** The names of records of one form. */
interface Layout {
  /** The members of each place, in their order. */
  readonly keys: readonly (readonly string[])[]
  readonly moves: readonly (readonly { readonly own: string; readonly shown: string }[])[]
  /** All names in their order, without values. */
  readonly empty: JsonObject
}

/**
 * First the names of crm, which the caller fills in, then the members of the places. Copying an object that has all names already is
 * twice as fast as adding them one by one, and the records of a list have few forms.
 */
function recordStart(
  names: readonly string[],
  places: readonly OwnPlace[],
  { crmNames, shape }: Showing,
): OwnNames['start'] {
  const shownNames = places.map(({ hidden }) => nameLookup(hidden, crmNames))
  let last: Layout | undefined
  return (inner) => {
    const objects = places.map(({ path }) => objectAt(path, inner))
    if (!last || !objects.every((object, at) => hasKeys(object, last?.keys[at] ?? [])))
      last = layoutOf(names, objects, shownNames)
    const record = { ...last.empty }
    for (let at = 0; at < objects.length; at++) {
      const object = objects[at] as JsonObject
      for (const { own, shown } of last.moves[at] ?? []) {
        const value = object[own] as JsonValue
        record[shown] = shape ? shape(value) : value
      }
    }
    return record
  }
}

function objectAt(path: Path, inner: JsonObject): JsonObject {
  const object = path.steps.length === 0 ? inner : readFirst(path, inner)
  return isJsonObject(object) ? object : {}
}

function hasKeys(object: JsonObject, keys: readonly string[]): boolean {
  let at = 0
  // The objects come from JSON.parse: every name is their own. Object.keys would make a list of them.
  for (const name in object) if (keys[at++] !== name) return false
  return at === keys.length
}

function layoutOf(
  crmNames: readonly string[],
  objects: readonly JsonObject[],
  shownNames: readonly ((own: string) => string | undefined)[],
): Layout {
  const names = new Set(crmNames)
  const keys = objects.map(Object.keys)
  const moves = keys.map((members, at) =>
    members.flatMap((own) => {
      const shown = shownNames[at]?.(own)
      if (shown === undefined || names.has(shown)) return []
      names.add(shown)
      return [{ own, shown }]
    }),
  )
  // Parsed, so that `__proto__` is a name like any other.
  const empty = JSON.parse(`{${[...names].map((name) => `${JSON.stringify(name)}:null`).join(',')}}`)
  return { keys, moves, empty }
}

/** Undefined for a hidden one. */
function nameLookup(hidden: OwnPlace['hidden'], crmNames: ReadonlySet<string>): (own: string) => string | undefined {
  const known = new Map<string, string | undefined>(Array.from(hidden.keys(), (name) => [name, undefined]))
  return (own) => {
    const shown = known.get(own)
    if (shown !== undefined || known.has(own)) return shown
    const found = crmNames.has(own.replace(/_+$/, '')) ? `${own}_` : own
    if (known.size < MOST_NAMES) known.set(own, found)
    return found
  }
}

/**
 * A list of elements that each hold a value is shown as the values, and a list of one as its value: Attio writes each value
 * of a record so. Undefined when values are shown unchanged, but for the one that means nothing.
 */
function shapeOf(document: ResourceDocument): ((value: JsonValue) => JsonValue) | undefined {
  const { value: shape, clear } = document
  const cleared = (value: JsonValue) => (isCleared(value, document) ? null : value)
  if (!shape) return clear === null || clear === 'omit' ? undefined : cleared
  const each = shape.each.map(compilePath)
  const trimmed = trimmerOf(document)
  const element = (value: JsonValue): JsonValue => {
    if (!isJsonObject(value)) return value
    for (const path of each) {
      const found = readFirst(path, value)
      if (found !== undefined) return found
    }
    return trimmed(value)
  }
  return (value) => {
    if (!Array.isArray(value)) return cleared(value)
    const elements = value.map(element)
    return elements.length === 1 ? (elements[0] ?? null) : cleared(elements)
  }
}

function trimmerOf({ value: shape }: ResourceDocument): (element: JsonValue) => JsonValue {
  const { drop = [], rename = {} } = shape ?? {}
  const dropped = new Set(drop)
  const sentAs = (name: string) => (Object.hasOwn(rename, name) ? (rename[name] ?? name) : name)
  return (element) => {
    if (!isJsonObject(element)) return element
    const kept = Object.entries(element).filter(([name]) => !dropped.has(name))
    return Object.fromEntries(kept.map(([name, value]) => [sentAs(name), value]))
  }
}
