import type { Resource } from '../../core/resources/registry.ts'
import { CREATED_NAMES, fieldFit, foldedName, ID_NAMES, isIdOf, memberNamed, nameFit, UPDATED_NAMES } from '../names.ts'
import type { SchemaView } from './schemas.ts'

/** A record in an answer or a body, at a path of a connector; `.` is the whole. */
export interface RecordPlace {
  readonly path: string
  readonly view: SchemaView
}

interface Candidate extends RecordPlace {
  readonly depth: number
  readonly score: number
}

/** Where the members of a record are, when they are not in the record itself. */
const INSIDES = ['properties', 'values', 'attributes', 'fields', 'data']

/** Not the record that was asked for. */
const ASIDE =
  /^(?:errors?|warnings?|links?|_links|included?|related\w*|meta|metadata|pag(?:ing|ination|e|einfo)|additionaldata|associations|relationships|_embedded)$/i

const LISTS = /^(?:data|results?|items|records|values?|elements|list|content|rows|objects|entities)$/i

const MAX_DEPTH = 4
/** For documents whose schemas contain each other. */
const MAX_PLACES = 600
const MAX_LISTS = 30

/** The member that identifies a record. */
export function idMemberOf(resource: Resource, view: SchemaView): string | undefined {
  const own = [...view.members.keys()].find((name) => isIdOf(resource, name))
  return memberNamed(view.members, ID_NAMES) ?? own
}

/** The record in an answer; undefined if nothing in it looks like one. */
export function recordIn(resource: Resource, answer: SchemaView | undefined): RecordPlace | undefined {
  return answer && best(objectsIn({ path: '.', view: answer }, (view) => recordScore(resource, view)))
}

/** The path of each record in an answer: with `[]`. */
export function itemsIn(resource: Resource, answer: SchemaView | undefined): RecordPlace | undefined {
  if (!answer) return undefined
  const all = walk({ path: '.', view: answer }, ({ path, view }) =>
    membersOf(path, view, (name) => !ASIDE.test(name) || name === '_embedded'),
  )
  const lists = all.flatMap((place) => listAt(resource, place)).slice(0, MAX_LISTS)
  const found = lists.flatMap((list) => {
    const inside = best(objectsIn(list, (view) => recordScore(resource, view)))
    return inside ? [{ ...inside, score: inside.score + list.score }] : []
  })
  return best(found) ?? best(lists)
}

/** What is known of a record: the object in which its fields are, and that object. */
export interface KnownRecord {
  readonly inside: string
  readonly fieldsView: SchemaView
}

/** The object of a body whose members are those of the record; where they are not known, those of crm. */
export function recordInBody(resource: Resource, body: SchemaView, { inside, fieldsView }: KnownRecord): RecordPlace {
  const root = { path: '.', view: body }
  const named = objectsIn(root, () => 0).find(
    ({ path }) => inside !== '.' && (path === inside || path.endsWith(`.${inside}`)),
  )
  const shared = ({ members }: SchemaView) => [...members.keys()].filter((name) => fieldsView.members.has(name)).length
  const fit = (view: SchemaView) => fieldFit(resource, view.members.keys())
  // The only object with such members may be deep.
  const ways = [shared, fit].flatMap((scoreOf) => {
    const found = objectsIn(root, scoreOf)
    return [found, found.map((each) => ({ ...each, score: scoreOf(each.view) }))]
  })
  const top = named ?? ways.map(best).find((each) => each !== undefined)
  if (top) return top
  // `{ data: ... }`, or a member named for the resource.
  const isWrapper = (name: string) => foldedName(name) === 'data' || nameFit(resource, name) > 0
  const [wrapper] = membersOf('.', body, isWrapper).filter(({ view }) => view.type === 'object')
  return wrapper ?? { path: '.', view: body }
}

/** The object in which the fields of a record are, from the record on. */
export function insideOf(resource: Resource, view: SchemaView): string {
  const own = fieldFit(resource, view.members.keys())
  const found = [...view.members.keys()].flatMap((path) => {
    const member = INSIDES.includes(foldedName(path)) ? view.member(path) : undefined
    if (member?.type !== 'object' && member?.type !== 'unknown') return []
    const isFree = member.members.size === 0 && own <= 1
    return [{ path, view, score: isFree ? 0.5 : fieldFit(resource, member.members.keys()) - own }]
  })
  return best(found)?.path ?? '.'
}

function recordScore(resource: Resource, view: SchemaView): number {
  const times = [CREATED_NAMES, UPDATED_NAMES].filter((names) => memberNamed(view.members, names)).length
  const id = idMemberOf(resource, view) === undefined ? -3 : 3
  return id + (insideOf(resource, view) === '.' ? 0 : 4) + times + fieldFit(resource, view.members.keys())
}

function isObject({ type, members }: SchemaView): boolean {
  return type === 'object' || members.size > 0
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

function elementOf(path: string, which: '[]' | '[0]'): string {
  return `${path === '.' ? '' : path}${which}`
}

function listAt(resource: Resource, { path, view, depth }: Candidate): readonly Candidate[] {
  if (view.type !== 'array' || !isObject(view.element)) return []
  const isUsual = LISTS.test(lastName(path)) || nameFit(resource, lastName(path)) > 0
  return [{ path: elementOf(path, '[]'), view: view.element, depth, score: (isUsual ? 3 : 0) - depth }]
}

/** The objects in it; some servers take and show a record as the only element of a list. */
function objectsIn(root: RecordPlace, scoreOf: (view: SchemaView) => number): readonly Candidate[] {
  const all = walk(root, ({ path, view }) => {
    if (view.type !== 'array') return membersOf(path, view, (name) => !ASIDE.test(name))
    const isRecord = isObject(view.element) && (path === root.path || LISTS.test(lastName(path)))
    return isRecord ? [{ path: elementOf(path, '[0]'), view: view.element }] : []
  })
  return all
    .filter(({ view, depth }) => view.type !== 'array' && (depth === 0 || isObject(view)))
    .map((place) => ({ ...place, score: scoreOf(place.view) - place.depth }))
}

/** The place and those within it, the outer ones first. */
function walk(root: RecordPlace, next: (place: RecordPlace) => readonly RecordPlace[]): readonly Candidate[] {
  const found: Candidate[] = [{ ...root, depth: 0, score: 0 }]
  for (const place of found) {
    if (place.depth === MAX_DEPTH || found.length > MAX_PLACES) continue
    found.push(...next(place).map((each) => ({ ...each, depth: place.depth + 1, score: 0 })))
  }
  return found
}

/** A value within an object, at a path of connectors. */
export interface Leaf {
  readonly path: string
  readonly name: string
  /** The members on the way to it, folded. */
  readonly above: readonly string[]
  readonly view: SchemaView
  /** Every object on the way to it requires it. */
  readonly isRequired: boolean
}

const MAX_LEAVES = 400

/** The values within an object, the outer ones first; `hasLists`: the first element of a list counts, too. */
export function leavesOf(view: SchemaView, depth = MAX_DEPTH, hasLists = false): readonly Leaf[] {
  const found: Leaf[] = [{ path: '.', name: '', above: [], view, isRequired: true }]
  const within = ({ path, name: own, above, view: object, ...outer }: Leaf) => {
    const required = outer.isRequired ? object.required : new Set()
    return [...object.members.keys()].flatMap((name): readonly Leaf[] => {
      const member = object.member(name)
      const isList = member?.type === 'array'
      if (!member || (isList && (!hasLists || member.items === undefined))) return []
      const at = { name, isRequired: required.has(name), above: own === '' ? above : [...above, foldedName(own)] }
      return [{ ...at, path: joined(path, name) + (isList ? '[0]' : ''), view: isList ? member.element : member }]
    })
  }
  for (const each of found) {
    if (each.above.length < depth && found.length < MAX_LEAVES) found.push(...within(each))
  }
  return found.slice(1).filter((each) => each.view.type !== 'object')
}

function membersOf(path: string, view: SchemaView, isWanted: (name: string) => boolean): readonly RecordPlace[] {
  return [...view.members.keys()].flatMap((name) => {
    const member = isWanted(name) ? view.member(name) : undefined
    return member && (member.type === 'array' || isObject(member)) ? [{ path: joined(path, name), view: member }] : []
  })
}

/** The first with the greatest score above 0. */
function best<Place extends { readonly score: number }>(candidates: readonly Place[]): Place | undefined {
  const [top] = candidates.toSorted((one, other) => other.score - one.score)
  return top && top.score > 0 ? top : undefined
}

/** A member below a path. */
export function joined(path: string, name: string): string {
  return path === '.' ? escaped(name) : `${path}.${escaped(name)}`
}

/** A name in the syntax of paths. */
export function escaped(name: string): string {
  return name.replace(/[.[\]=\\]/g, (char) => `\\${char}`)
}
