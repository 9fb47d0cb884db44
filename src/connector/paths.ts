import { exactDigits, idText, isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../core/json.ts'

/** A text of a connector that cannot be compiled; the reader of the file adds its line. */
export class ConnectorMistake extends Error {
  override readonly name = 'ConnectorMistake'
  /** The index in the text. */
  readonly at: number
  readonly expected: string

  constructor(what: string, expected: string, at: number) {
    super(`${what}, expected ${expected}`)
    this.at = at
    this.expected = expected
  }
}

export type Step =
  | { readonly type: 'member'; readonly name: string }
  | { readonly type: 'index'; readonly at: number }
  /** The first element whose member equals the value, compared as text; of an object, itself if its member does. */
  | { readonly type: 'match'; readonly name: string; readonly value: JsonValue }
  | { readonly type: 'each' }

export interface Path {
  readonly text: string
  /** None for `.`, the whole. */
  readonly steps: readonly Step[]
}

const SYNTAX = 'names separated by dots, with [0], [name=value] or [] after a list, such as emails[primary=true].value'

const INDEX = /^\d{1,6}$/

/** Compiles `a.b`, `[0]`, `[k=v]`, `[]`, `a\.b` and `.`; ConnectorMistake with the position in the text. */
export function compilePath(text: string): Path {
  if (text === '.') return { text, steps: [] }
  const steps: Step[] = []
  for (let at = 0; at < text.length || steps.length === 0; ) {
    const { step, end } =
      text[at] === '[' ? readBracket(text, at) : readName(text, steps.length === 0 ? at : pastPoint(text, at))
    steps.push(step)
    at = end
  }
  return { text, steps }
}

export function optionalPath(text: string | undefined): Path | undefined {
  return text === undefined ? undefined : compilePath(text)
}

interface ReadStep {
  readonly step: Step
  readonly end: number
}

function pastPoint(text: string, at: number): number {
  if (text[at] === '.') return at + 1
  throw new ConnectorMistake(`"${text[at]}" follows a bracket`, '. or [ there', at)
}

function readName(text: string, at: number): ReadStep {
  const { word, end } = readWord(text, at, '.[')
  if (word.text === '') throw new ConnectorMistake('a name is missing', SYNTAX, at)
  return { step: { type: 'member', name: word.text }, end }
}

function readBracket(text: string, at: number): ReadStep {
  const { word, end } = readWord(text, at + 1, ']')
  if (end >= text.length) throw new ConnectorMistake('[ is not closed', ']', at)
  return { step: bracketStep(word, at), end: end + 1 }
}

interface Word {
  readonly text: string
  /** Of the first `=` that is not escaped; -1 without one. */
  readonly equalsAt: number
}

/** The text up to one of the characters, without the backslashes of escapes. */
function readWord(text: string, start: number, stops: string): { word: Word; end: number } {
  let word = ''
  let equalsAt = -1
  let at = start
  for (; at < text.length && !stops.includes(text[at] ?? ''); at++) {
    if (text[at] === '\\') {
      at++
      if (at >= text.length) throw new ConnectorMistake('the text ends with \\', 'the escaped character', at - 1)
    } else if (text[at] === '[' || text[at] === ']') {
      throw new ConnectorMistake(`"${text[at]}" is out of place`, `\\${text[at]} in a name`, at)
    } else if (text[at] === '=' && equalsAt < 0) equalsAt = word.length
    word += text[at]
  }
  return { word: { text: word, equalsAt }, end: at }
}

function bracketStep({ text, equalsAt }: Word, at: number): Step {
  if (text === '') return { type: 'each' }
  if (INDEX.test(text)) return { type: 'index', at: Number(text) }
  if (equalsAt > 0) return { type: 'match', name: text.slice(0, equalsAt), value: scalar(text.slice(equalsAt + 1)) }
  throw new ConnectorMistake(`[${text}] is no index`, '[0], [name=value] or []', at)
}

/** The value that an element is made with: `true`, `5`, or any other text. */
function scalar(text: string): JsonValue {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text
}

/** The members of an object in which the paths begin. */
export function headsOf(paths: readonly Path[]): readonly string[] {
  return paths.flatMap(({ steps: [step] }) => (step?.type === 'member' ? [step.name] : []))
}

/** The first value at the path; undefined when it is absent. */
export function readFirst({ steps }: Path, json: JsonValue | undefined): JsonValue | undefined {
  return firstAt(steps, json, 0)
}

function firstAt(steps: readonly Step[], json: JsonValue | undefined, from: number): JsonValue | undefined {
  let value = json
  for (let at = from; at < steps.length; at++) {
    const step = steps[at] as Step
    if (step.type === 'each') {
      if (!Array.isArray(value)) return undefined
      for (const element of value) {
        const found = firstAt(steps, element, at + 1)
        if (found !== undefined) return found
      }
      return undefined
    }
    value = stepInto(step, value)
    if (value === undefined) return undefined
  }
  return value
}

function stepInto(step: Exclude<Step, { type: 'each' }>, value: JsonValue | undefined): JsonValue | undefined {
  if (step.type === 'member') return ownMember(value, step.name)
  if (!Array.isArray(value)) return step.type === 'match' && isMatch(step, value ?? null) ? value : undefined
  return value[step.type === 'index' ? step.at : value.findIndex((element) => isMatch(step, element))]
}

function ownMember(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, name) ? value[name] : undefined
}

function isMatch({ name, value }: { name: string; value: JsonValue }, element: JsonValue): boolean {
  const member = ownMember(element, name)
  return member === value || (member !== undefined && scalarText(member) === scalarText(value))
}

function scalarText(value: JsonValue): string | undefined {
  return typeof value === 'boolean' ? String(value) : idText(value)
}

/** As readFirst, or as readAll for a path through `[]`. */
export function pathReader(path: Path): (json: JsonObject) => JsonValue | undefined {
  return path.steps.some(({ type }) => type === 'each')
    ? (json) => readAll(path, json)
    : (json) => readFirst(path, json)
}

/** All values at the path, in order; `[]` flattens. What is not there is passed over. */
export function readAll({ steps }: Path, json: JsonValue | undefined): JsonValue[] {
  let values = json === undefined ? [] : [json]
  for (const step of steps) {
    values = values.flatMap((value) => {
      if (step.type === 'each') return Array.isArray(value) ? value : []
      const inner = stepInto(step, value)
      return inner === undefined ? [] : [inner]
    })
  }
  return values
}

/** A value, and the element in which the last list of its path is: the pipeline of `pipelines[].stages[]`. */
export interface Listed {
  readonly value: JsonValue
  readonly enclosing: JsonValue
}

/** As readAll, of a list that must be there: undefined when a part of the path is missing. `isNullEmpty`: null is an empty list. */
export function readEach({ steps }: Path, json: JsonValue | undefined, isNullEmpty = false): Listed[] | undefined {
  if (json === undefined) return undefined
  let isMissing = false
  let listed = [{ value: json, element: json, enclosing: json }]
  const missing = () => {
    isMissing = true
    return []
  }
  for (const step of steps) {
    listed = listed.flatMap(({ value, element, enclosing }) => {
      if (step.type === 'each') {
        if (value === null && isNullEmpty) return []
        if (!Array.isArray(value)) return missing()
        return value.map((each) => ({ value: each, element: each, enclosing: element }))
      }
      const inner = stepInto(step, value)
      return inner === undefined ? missing() : [{ value: inner, element, enclosing }]
    })
  }
  return isMissing ? undefined : listed
}

export interface WriteOptions {
  /** The current record of the server, from which lists are completed; it is not changed. */
  readonly current?: JsonValue | undefined
  /** Members of an element that is made. */
  readonly new?: JsonObject
  /** Objects on the path are completed from the current record, too. */
  readonly isCompleted?: boolean
}

interface Write extends WriteOptions {
  readonly steps: readonly Step[]
  readonly value: JsonValue | undefined
}

/**
 * Sets the value in the object that will be sent. A list on the path is written whole: the current one, with the element
 * changed or, when there is none, appended. Without a value the member, or the element of the innermost list, is removed.
 */
export function writeAt(
  { steps }: Path,
  target: JsonObject,
  value: JsonValue | undefined,
  options: WriteOptions = {},
): void {
  if (steps.length > 0) put({ ...options, steps, value }, 0, target, options.current)
  else if (isJsonObject(value)) for (const name of Object.keys(value)) setMember(target, name, value[name] ?? null)
}

/** The new value at the step; undefined when there is none. */
function put(write: Write, at: number, target?: JsonValue, current?: JsonValue): JsonValue | undefined {
  const step = write.steps[at]
  if (step === undefined) return write.value
  if (step.type === 'each') return eachWritten(write, at, target ?? current)
  if (step.type !== 'member') return listWritten(write, at, target ?? current) ?? target
  const before = objectBefore(write, target, current)
  const inner = put(write, at + 1, ownMember(before, step.name), ownMember(current, step.name))
  if (inner === undefined) {
    if (before) delete before[step.name]
    return before
  }
  const object = before ?? {}
  setMember(object, step.name, inner)
  return object
}

function objectBefore({ isCompleted }: Write, target?: JsonValue, current?: JsonValue): JsonObject | undefined {
  if (isJsonObject(target)) return target
  if (!isCompleted || !isJsonObject(current)) return undefined
  return copyOf(current) as JsonObject
}

/** Undefined when there was no element to remove. */
function listWritten(write: Write, at: number, before: JsonValue | undefined): JsonValue[] | undefined {
  const step = write.steps[at] as Extract<Step, { type: 'index' | 'match' }>
  const list = Array.isArray(before) ? [...before] : []
  const found = step.type === 'index' ? step.at : list.findIndex((element) => isMatch(step, element))
  const isThere = found >= 0 && found < list.length
  if (write.value === undefined) {
    const isInnermost = !write.steps.slice(at + 1).some(({ type }) => type !== 'member')
    if (!isThere) return undefined
    if (isInnermost) return list.toSpliced(found, 1)
  }
  const element = isThere ? list[found] : step.type === 'match' ? { ...write.new, [step.name]: step.value } : write.new
  const written = put(write, at + 1, copyOf(element ?? {})) ?? {}
  if (isThere) list[found] = written
  else list.push(written)
  return list
}

/** An element that has the value already is kept with its other members. */
function eachWritten(write: Write, at: number, before: JsonValue | undefined): JsonValue[] {
  const rest = write.steps.slice(at + 1)
  const left = Array.isArray(before) ? [...before] : []
  const values = Array.isArray(write.value) ? write.value : write.value === undefined ? [] : [write.value]
  return values.map((value) => {
    const found = left.findIndex((element) => isSameJson(firstAt(rest, element, 0), value))
    if (found >= 0) return left.splice(found, 1)[0] ?? null
    return put({ ...write, steps: rest, value }, 0, rest.length === 0 ? undefined : copyOf(write.new ?? {})) ?? null
  })
}

/** `__proto__` is a name like any other. */
export function setMember(object: JsonObject, name: string, value: JsonValue): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

export function copyOf(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || exactDigits(value) !== undefined) return value
  if (Array.isArray(value)) return value.map(copyOf)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copyOf(inner)]))
}

/** A label of a host name has no more. */
const MOST_CHARS = 63
const MOST_PATTERN = 100
const MOST_QUANTIFIERS = 3

/**
 * Refuses regular expressions that could take long: on 63 characters, three quantifiers without nesting and back references
 * need at most 250,000 steps. ConnectorMistake with the position.
 */
export function checkPattern(text: string): void {
  if (text.length > MOST_PATTERN) {
    throw new ConnectorMistake(`the pattern has ${text.length} characters`, `at most ${MOST_PATTERN}`, MOST_PATTERN)
  }
  try {
    new RegExp(anchored(text), 'u')
  } catch (error) {
    throw new ConnectorMistake(`not a regular expression: ${(error as Error).message}`, 'one of JavaScript', 0)
  }
  // Escapes and classes as one character each, so that only syntax is left.
  const syntax = text.replace(/\\[bBdDsSwW.\\/^$*+?()[\]{}|-]|\[(?:\\.|[^\]\\])*\]/g, (found) =>
    'x'.padEnd(found.length, 'x'),
  )
  const refused = /\\|\(\?|\)[*+?{]|(?:[*+?}][*+?{])/.exec(syntax)
  if (refused) {
    const expected = 'no quantifier after a group, look-around, back reference or lazy quantifier'
    throw new ConnectorMistake(
      `"${text.slice(refused.index, refused.index + 2)}" could take long`,
      expected,
      refused.index,
    )
  }
  const quantifiers = [...syntax.matchAll(/[*+?{]/g)]
  const one = quantifiers[MOST_QUANTIFIERS]
  if (one) throw new ConnectorMistake('the pattern has more quantifiers', `at most ${MOST_QUANTIFIERS}`, one.index)
}

/** A test of whole texts; a longer text than 63 characters never matches. */
export function patternTest(pattern: string): (text: string) => boolean {
  const whole = new RegExp(anchored(pattern), 'u')
  return (text) => text.length <= MOST_CHARS && whole.test(text)
}

function anchored(pattern: string): string {
  return `^(?:${pattern})$`
}
