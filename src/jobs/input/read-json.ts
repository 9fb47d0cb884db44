import { exactDigits, type JsonValue, parseExactJson } from '../../core/json.ts'
import { type Cut, type Cuts, cutRecords, type DecodedText, type ReadValue, trimmed } from './cut-records.ts'
import { isTooDeep, TOO_DEEP } from './input-file.ts'

/** One value per line, or the elements of one list. Invalid JSON is a finding, and the rest is still read. */
export async function* readJsonRows(
  input: DecodedText,
  format: 'json' | 'jsonl',
): AsyncGenerator<readonly ReadValue[]> {
  const isList = format === 'json'
  for await (const cuts of cutRecords(input, isList ? createListCut() : cutLines))
    yield cuts.map(({ text, position, ...place }) => ({ ...place, ...(isList && { position }), ...parse(text) }))
}

type Parsed = { readonly value: JsonValue } | { readonly repeated: string } | { readonly fault: string }

function parse(json: string): Parsed {
  if (isTooDeep(json)) return { fault: TOO_DEEP }
  try {
    const value = parseExactJson(json)
    // A text may look like a member, so only the longer search is proof.
    const names = json.match(/"\s*:/g)?.length ?? 0
    const repeated = names === memberCount(value) ? undefined : repeatedMember(json)
    return repeated === undefined ? { value } : { repeated }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { fault: error.message.replace(/ \(line \d+ column \d+\)$/, '') }
  }
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
const cutLines: Cut = (window, isLast) => {
  const used = isLast ? window.length : window.lastIndexOf('\n') + 1
  const lines = window.slice(0, used).matchAll(/[^\n]+/g)
  const cuts = Array.from(lines, ({ 0: { length }, index }) => trimmed(window, index, index + length))
  return { cuts: cuts.filter(([start, end]) => start < end), used }
}

/**
 * What determines the structure of a list; most of its objects have none inside, and are passed as one. A quote alone opens a text that the
 * window does not end.
 */
const MARK = /\{[^{}[\]"]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^{}[\]"]*)*\}|"[^"\\]*(?:\\.[^"\\]*)*"|["{}[\],]/gs

const DEPTHS: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 }

const HINT = 'expected one list of objects: [{…}, {…}]; for an object a line use --format jsonl'

type Expected = 'list' | 'first' | 'element' | 'nothing'

/** Cuts a list at the commas and brackets of its own; parsing finds what is no element between them. */
function createListCut(): Cut {
  let expected: Expected = 'list'
  return (window, isLast) => {
    const found = cutList(window, isLast, expected)
    expected = found.expected
    return found
  }
}

function cutList(window: string, isLast: boolean, before: Expected): Cuts & { readonly expected: Expected } {
  const cuts: (readonly [number, number])[] = []
  let [used, expected] = [0, before]
  for (const { mark, index } of ownMarks(window, expected === 'list' ? 0 : 1)) {
    const cut = trimmed(window, used, index)
    const isEmpty = cut[0] === cut[1]
    if (expected === 'nothing' || (expected === 'list' && !(mark === '[' && isEmpty))) break
    if (mark === '}') return { cuts, used, expected, fault: { at: index, what: 'expected , or ]', hint: HINT } }
    if (isElement(mark, isEmpty, expected)) cuts.push(cut)
    expected = EXPECTED[mark] ?? 'nothing'
    used = index + 1
  }
  return { cuts, used, expected, fault: faultOfRest(window, used, { expected, isLast }) }
}

function isElement(mark: string, isEmpty: boolean, expected: Expected): boolean {
  return mark === ',' || (mark === ']' && (expected === 'element' || !isEmpty))
}

const EXPECTED: Readonly<Record<string, Expected>> = { '[': 'first', ',': 'element', ']': 'nothing' }

/** The commas and brackets outside the elements. */
function* ownMarks(window: string, depthBefore: number) {
  let depth = depthBefore
  for (const { 0: mark, index } of window.matchAll(MARK)) {
    if (mark.length > 1) continue
    if (mark === '"') return
    const step = DEPTHS[mark] ?? 0
    depth += step
    if (depth < 1 || (depth === 1 && step >= 0)) yield { mark, index }
  }
}

interface End {
  readonly expected: Expected
  readonly isLast: boolean
}

function faultOfRest(window: string, used: number, { expected, isLast }: End): Cuts['fault'] {
  const list = 'a list, which begins with ['
  const stray = window.slice(used).search(/\S/)
  if (stray >= 0 && (expected === 'nothing' || expected === 'list')) {
    const what = expected === 'list' ? list : 'nothing after the list'
    return { at: used + stray, what: `expected ${what}`, hint: HINT }
  }
  if (!isLast || expected === 'nothing') return undefined
  const what = `it ends too early, expected ${expected === 'list' ? list : ', or ]'}`
  return { at: window.length, what, hint: HINT }
}
