import type { Cut, Cutter, Window } from './cut-records.ts'
import { inputError } from './input-error.ts'

/** The characters that determine the structure of a list. */
const MARK = /["\n{}[\],]/g

const DEPTHS: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 }

const TEXT_END = /["\\]/g

/** What is valid next, outside the elements. */
type Expected = 'open' | 'first' | 'element' | 'comma' | 'nothing'

const HINT = 'expected one list of objects: [{…}, {…}]; for an object a line use --format jsonl'

const WANTED: Readonly<Record<Expected, string>> = {
  open: 'expected a list, which begins with [',
  first: 'expected an object or ]',
  element: 'expected an object after the comma',
  comma: 'expected , or ]',
  nothing: 'expected nothing after the list',
}

interface State {
  line: number
  expected: Expected
}

/** Cuts a list into its elements by brackets and quotes alone; parsing finds an element that is not valid JSON. */
export function createJsonListCutter(name: string, unitBytes: number): Cutter<Cut> {
  const state: State = { line: 1, expected: 'open' }
  return {
    line: () => state.line,
    cut: (window) => {
      const { cuts, used, isRefused } = cutElements(window, state)
      const isShort = window.isLast && used === window.units.length && state.expected !== 'nothing'
      if (isRefused || isShort) {
        const what = isShort ? `it ends too early, ${WANTED[state.expected]}` : WANTED[state.expected]
        throw inputError({ name, line: state.line, offset: window.offset + used * unitBytes, what, hint: HINT })
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
  const { units } = window
  const cuts: Cut[] = []
  let at = 0
  while (at < units.length) {
    const unit = units[at] ?? ''
    if (unit === '\n') state.line++
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
    cuts.push({ start: at, end: element.end, line: state.line })
    state.line += element.newlines
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
