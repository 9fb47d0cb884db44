import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseAllDocuments } from 'yaml'
import type { JsonValue } from '../core/json.ts'
import { nearest } from '../core/nearest.ts'

/** Counted from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

export type Scalar = string | number | boolean | null

/** A value of a file, with the place where it stands; after a merge its members may be of several files. */
export interface Located {
  readonly value: Scalar | readonly Located[] | ReadonlyMap<string, Located>
  readonly place: Place
  /** Of its name, for a member. */
  readonly keyPlace: Place
}

/** All mistakes of a file, for one error. */
export class Problems {
  readonly #found = new Map<string, Place>()

  /** `problem` names the value and the expected one. */
  add(place: Place, problem: string): void {
    const text = `${place.file}:${place.line}:${place.column}: ${problem}`
    if (this.#found.size < MOST_PROBLEMS && !this.#found.has(text)) this.#found.set(text, place)
  }

  /** Moves those of other files that `isTheirs` does not take to the place that makes them mistakes. */
  moveForeign({ file, line, column }: Place, isTheirs: (text: string) => boolean): void {
    for (const [text, place] of [...this.#found]) {
      if (place.file === file || isTheirs(text)) continue
      this.#found.delete(text)
      this.add({ file, line, column }, `as changed here, ${text}`)
    }
  }

  get texts(): readonly string[] {
    const inOrder = [...this.#found].toSorted(
      ([, one], [, other]) => one.line - other.line || one.column - other.column,
    )
    return inOrder.map(([text]) => text)
  }
}

/** For the end of a problem: the name that was probably meant. */
export function meantHint(name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  return near === undefined ? '' : `; did you mean ${near}?`
}

/** The circle that such names end with, unless a name leads to itself at once: ` (contacts -> deals -> contacts)`. */
export function circleHint(names: readonly string[]): string {
  const circle = names.slice(names.indexOf(names.at(-1) ?? ''))
  return circle.length > 2 ? ` (${circle.join(' -> ')})` : ''
}

const MOST_PROBLEMS = 20
const MOST_BYTES = 256 * 1024
const MOST_DEPTH = 20

interface Source {
  readonly text: string
  readonly problems: Problems
  readonly placeAt: (offset: number) => Place
}

/**
 * Reads YAML 1.2 without anchors, aliases, merge keys and tags, so that a text means what it shows. Undefined, with problems
 * added, for any other text, for one of more than 256 KiB, and for values nested more than 20 deep.
 */
export function readLocated(
  file: string,
  text: string,
  problems: Problems,
  least = 'connector: 2',
): Located | undefined {
  const lines = new LineCounter()
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { file, line: Math.max(1, line), column: Math.max(1, col) }
  }
  const bytes = Buffer.byteLength(text)
  if (bytes > MOST_BYTES) {
    problems.add(placeAt(0), `the file has ${bytes} bytes, expected at most ${MOST_BYTES}`)
    return undefined
  }
  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
  })
  const source: Source = { text, problems, placeAt }
  const [document, second] = Array.isArray(documents) ? documents : []
  const found = [...(document?.errors ?? []), ...(document?.warnings ?? [])]
  const broken = found.findIndex(({ code }) => !WITHIN_YAML.includes(code))
  // What follows a broken line is no mistake of its own.
  const faults = broken < 0 ? found : found.slice(0, broken + 1)
  for (const { code, message, pos } of faults.slice(0, MOST_PROBLEMS)) {
    if (code !== 'TAG_RESOLVE_FAILED') problems.add(placeAt(pos[0]), yamlProblem(code, message))
  }
  if (broken >= 0) return undefined
  if (second) problems.add(placeAt(second.range[0]), 'a second document begins, expected one')
  if (document?.contents)
    return faults.some(({ code }) => code === 'RESOURCE_EXHAUSTION') ? undefined : located(document.contents, source, 1)
  problems.add(placeAt(0), `the file is empty, expected ${least}`)
  return undefined
}

/** Faults of a text that is read to its end. */
const WITHIN_YAML: readonly string[] = ['DUPLICATE_KEY', 'TAG_RESOLVE_FAILED', 'RESOURCE_EXHAUSTION']

function yamlProblem(code: string, message: string): string {
  if (code === 'RESOURCE_EXHAUSTION') return `values are nested too deeply, expected at most ${MOST_DEPTH} levels`
  if (code === 'DUPLICATE_KEY') return 'the name is there already, expected it once'
  return `not YAML: ${message.slice(0, 1).toLowerCase()}${message.slice(1)}`
}

function located(node: Node, source: Source, depth: number): Located {
  const { problems, placeAt } = source
  const place = placeAt(node.range?.[0] ?? 0)
  const nothing: Located = { value: null, place, keyPlace: place }
  if (isAlias(node)) {
    problems.add(place, `*${node.source} is an alias, expected the value itself`)
    return nothing
  }
  const { anchor } = node as { anchor?: string }
  if (anchor !== undefined) problems.add(place, `&${anchor} is an anchor, expected the value alone`)
  if (node.tag !== undefined) problems.add(place, `${node.tag} is a tag, expected the value alone`)
  if (depth > MOST_DEPTH) {
    problems.add(place, `values are nested too deeply, expected at most ${MOST_DEPTH} levels`)
    return nothing
  }
  if (isScalar(node)) return { ...nothing, place: inText(place, node), value: scalarIn(node, source) }
  if (isSeq(node)) return { ...nothing, value: node.items.map((item) => located(item as Node, source, depth + 1)) }
  const members = new Map<string, Located>()
  for (const pair of isMap(node) ? node.items : []) {
    const member = memberIn(pair as Pair<Node, Node | null>, source, depth)
    if (member) members.set(...member)
  }
  return { ...nothing, value: members }
}

/** A text begins after its quote. */
function inText(place: Place, { type }: { type?: string }): Place {
  return type?.startsWith('QUOTE') ? { ...place, column: place.column + 1 } : place
}

function scalarIn(node: { value: unknown; range?: Node['range'] }, { problems, placeAt }: Source): Scalar {
  const { value } = node
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number' && Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)))
    return value
  problems.add(
    placeAt(node.range?.[0] ?? 0),
    `${String(value)} is no number of JSON, expected one, or a text in quotes`,
  )
  return null
}

function memberIn(
  { key, value }: Pair<Node, Node | null>,
  source: Source,
  depth: number,
): [string, Located] | undefined {
  const { problems, placeAt, text } = source
  const keyPlace = placeAt(key.range?.[0] ?? 0)
  if (!isScalar(key)) {
    problems.add(keyPlace, 'the name of a member is a list or a map, expected a text')
    return undefined
  }
  const { anchor } = key as { anchor?: string }
  if (anchor !== undefined || key.tag !== undefined)
    problems.add(keyPlace, 'a name with an anchor or a tag, expected the name alone')
  // A number or a boolean is the text that stands there.
  const name = typeof key.value === 'string' ? key.value : text.slice(...(key.range?.slice(0, 2) ?? [0, 0]))
  if (name === '<<') problems.add(keyPlace, '<< is a merge key, expected the members themselves')
  const inner = value ? located(value, source, depth + 1) : { value: null, place: keyPlace, keyPlace }
  return [name, { ...inner, keyPlace }]
}

export function isMembers(value: Located['value'] | undefined): value is ReadonlyMap<string, Located> {
  return value instanceof Map
}

export function isElements(value: Located['value'] | undefined): value is readonly Located[] {
  return Array.isArray(value)
}

export function memberAt(node: Located | undefined, ...names: readonly string[]): Located | undefined {
  let at = node
  for (const name of names) at = at && isMembers(at.value) ? at.value.get(name) : undefined
  return at
}

/** The members that are there; null is not. */
export function membersOf(node: Located | undefined): ReadonlyMap<string, Located> {
  if (!node || !isMembers(node.value)) return new Map()
  return new Map([...node.value].filter(([, { value }]) => value !== null))
}

export function textIn(node: Located | undefined): string | undefined {
  return typeof node?.value === 'string' ? node.value : undefined
}

export function plain({ value }: Located): JsonValue {
  if (isElements(value)) return value.map(plain)
  if (!isMembers(value)) return value
  return Object.fromEntries(Array.from(value, ([name, member]) => [name, plain(member)]))
}

/** Members that are replaced whole, as lists are. */
const WHOLE = new Set(['body', 'fields'])

/** `over` member by member; null removes. */
export function merged(base: Located, over: Located): Located {
  if (!isMembers(base.value) || !isMembers(over.value)) return over
  const members = new Map(base.value)
  for (const [name, member] of over.value) {
    const before = members.get(name)
    members.set(name, before && !WHOLE.has(name) ? merged(before, member) : member)
  }
  return { ...over, value: members }
}

/** Each text of a value, replaced. */
export function replaceTexts(node: Located, replaced: (text: string) => string): Located {
  const { value } = node
  if (typeof value === 'string') return { ...node, value: replaced(value) }
  if (isElements(value)) return { ...node, value: value.map((each) => replaceTexts(each, replaced)) }
  if (!isMembers(value)) return node
  return { ...node, value: new Map(Array.from(value, ([name, each]) => [name, replaceTexts(each, replaced)])) }
}
