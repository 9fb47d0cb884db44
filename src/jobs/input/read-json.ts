import { exactDigits, type JsonValue, parseExactJson } from '../../core/json.ts'
import { type Cut, type Cutter, cutRecords, type ReadValue, type TextInput, type Window } from './cut-records.ts'
import { inputError, isTooDeep, TOO_DEEP } from './input-file.ts'

/** The characters that determine the structure of a list. */
const MARK = /["\n{}[\],]/g

const DEPTHS: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 }

const TEXT_END = /["\\]/g

const HINT = 'expected one list of objects: [{…}, {…}]; for an object a line use --format jsonl'

const WANTED: Readonly<Record<Expected, string>> = {
  open: 'expected a list, which begins with [',
  first: 'expected an object or ]',
  element: 'expected an object after the comma',
  comma: 'expected , or ]',
  nothing: 'expected nothing after the list',
}

/** One value per line, or the elements of one list. Invalid JSON is a finding, and the rest is still read. */
export async function* readJsonRows(input: TextInput, format: 'json' | 'jsonl'): AsyncGenerator<readonly ReadValue[]> {
  const cutter = format === 'jsonl' ? createLineCutter() : createJsonListCutter(input.name)
  for await (const cuts of cutRecords(input, cutter))
    yield cuts.map(({ text, ...place }) => ({ ...place, ...parse(text) }))
}

type Parsed = { readonly value: JsonValue } | { readonly repeated: string } | { readonly fault: string }

function parse(json: string): Parsed {
  if (isTooDeep(json)) return { fault: TOO_DEEP }
  try {
    const value = parseExactJson(json)
    // A text may look like a member, so only the longer search is proof.
    const repeated = nameEnds(json) === memberCount(value) ? undefined : repeatedMember(json)
    return repeated === undefined ? { value } : { repeated }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { fault: error.message.replace(/ \(line \d+ column \d+\)$/, '') }
  }
}

/** The number of colons after a quote: those after names, and some inside texts. */
function nameEnds(json: string): number {
  let count = 0
  for (let at = json.indexOf(':'); at >= 0; at = json.indexOf(':', at + 1)) {
    let before = at - 1
    while (json.charCodeAt(before) <= 0x20) before--
    if (json[before] === '"') count++
  }
  return count
}

/** Counts in a loop of names, which takes a third of the time of Object.values: this runs for each record. */
function memberCount(value: JsonValue): number {
  if (typeof value !== 'object' || value === null || exactDigits(value) !== undefined) return 0
  let count = 0
  if (Array.isArray(value)) for (const each of value) count += memberCount(each)
  else for (const name in value) count += 1 + memberCount(value[name] ?? null)
  return count
}

const TEXT_OR_BRACKET = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}]/gs

/** The first name that valid JSON has twice in one object; JSON.parse keeps the last of them. */
function repeatedMember(json: string): string | undefined {
  const open: Set<string>[] = []
  for (const [token, name, colon] of json.matchAll(TEXT_OR_BRACKET)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (colon !== undefined) {
      const key = JSON.parse(`"${name}"`) as string
      if (open.at(-1)?.has(key)) return key
      open.at(-1)?.add(key)
    }
  }
  return undefined
}

/** One record per line; lines of white space are skipped. */
function createLineCutter(): Cutter {
  let line = 1
  return {
    line: () => line,
    cut: ({ units, isLast }) => {
      const cuts: Cut[] = []
      let used = 0
      while (used < units.length) {
        const newlineAt = units.indexOf('\n', used)
        if (newlineAt < 0 && !isLast) break
        const end = newlineAt < 0 ? units.length : newlineAt
        const start = used + (units.slice(used, end).length - units.slice(used, end).trimStart().length)
        if (start < end) cuts.push({ start, end: start + units.slice(start, end).trimEnd().length, line })
        line++
        used = newlineAt < 0 ? units.length : newlineAt + 1
      }
      return { cuts, used }
    },
  }
}

/** What is valid next, outside the elements. */
type Expected = 'open' | 'first' | 'element' | 'comma' | 'nothing'

interface State {
  line: number
  /** Byte offset of the line. */
  lineAt: number
  expected: Expected
}

/** Cuts a list into its elements by brackets and quotes alone; parsing finds an element that is not valid JSON. */
function createJsonListCutter(name: string): Cutter {
  const state: State = { line: 1, lineAt: 0, expected: 'open' }
  return {
    line: () => state.line,
    cut: (window) => {
      const { cuts, used, isRefused } = cutElements(window, state)
      const isShort = window.isLast && used === window.units.length && state.expected !== 'nothing'
      if (isRefused || isShort) {
        const what = isShort ? `it ends too early, ${WANTED[state.expected]}` : WANTED[state.expected]
        const column = window.offset + used - state.lineAt + 1
        throw inputError({ name, line: state.line, column, what, hint: HINT })
      }
      return { cuts, used }
    },
  }
}

interface Elements {
  readonly cuts: readonly Cut[]
  readonly used: number
  /** Whether the character at `used` is invalid there. */
  readonly isRefused: boolean
}

function cutElements(window: Window, state: State): Elements {
  const { units, offset } = window
  const cuts: Cut[] = []
  let at = 0
  while (at < units.length) {
    const unit = units[at] ?? ''
    if (unit === '\n') {
      state.line++
      state.lineAt = offset + at + 1
    }
    const next = afterMark(state.expected, unit)
    if (next !== undefined) {
      state.expected = next
      at++
      continue
    }
    const isBeginning = (state.expected === 'first' || state.expected === 'element') && unit !== ',' && unit !== ']'
    if (!isBeginning) return { cuts, used: at, isRefused: true }
    const element = elementAt(window, at)
    if (!element) break
    cuts.push({ start: at, end: element.end, line: state.line, position: offset + at - state.lineAt + 1 })
    state.line += element.newlines
    if (element.newlines > 0) state.lineAt = offset + units.lastIndexOf('\n', element.end - 1) + 1
    state.expected = 'comma'
    at = element.end
  }
  return { cuts, used: at, isRefused: false }
}

/** The state after white space, a bracket or a comma; undefined for an invalid character, and for the start of an element. */
function afterMark(expected: Expected, unit: string): Expected | undefined {
  if (unit === ' ' || unit === '\n' || unit === '\r' || unit === '\t') return expected
  if (unit === '[' && expected === 'open') return 'first'
  if (unit === ',' && expected === 'comma') return 'element'
  return unit === ']' && (expected === 'comma' || expected === 'first') ? 'nothing' : undefined
}

interface Element {
  readonly end: number
  readonly newlines: number
}

/**
 * The element up to its closing bracket, or, if it is not an object, up to the next comma or bracket; undefined if its end is
 * not in the window yet.
 */
function elementAt({ units, isLast }: Window, start: number): Element | undefined {
  let depth = 0
  let newlines = 0
  MARK.lastIndex = start
  for (let found = MARK.exec(units); found; found = MARK.exec(units)) {
    const mark = found[0]
    if (mark === '"') {
      MARK.lastIndex = endOfText(units, found.index)
      continue
    }
    depth += DEPTHS[mark] ?? 0
    if (mark === '\n') newlines++
    // The closing bracket of a value belongs to it; a comma, or the bracket of the list, does not.
    else if (depth <= 0) return { end: mark === ',' || depth < 0 ? found.index : found.index + 1, newlines }
  }
  return isLast ? { end: units.length, newlines } : undefined
}

function endOfText(units: string, open: number): number {
  TEXT_END.lastIndex = open + 1
  for (let found = TEXT_END.exec(units); found; found = TEXT_END.exec(units)) {
    if (found[0] === '"') return found.index + 1
    TEXT_END.lastIndex = found.index + 2
  }
  return units.length
}
