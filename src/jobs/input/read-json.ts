import { exactDigits, type JsonValue, parseExactJson } from '../../core/json.ts'
import { type Cut, type Cutter, cutRecords, type DecodedText, type ReadValue, type Window } from './cut-records.ts'
import { inputError, isTooDeep, TOO_DEEP } from './input-file.ts'

/** One value per line, or the elements of one list. Invalid JSON is a finding, and the rest is still read. */
export async function* readJsonRows(
  input: DecodedText,
  format: 'json' | 'jsonl',
): AsyncGenerator<readonly ReadValue[]> {
  const cutter = format === 'jsonl' ? createLineCutter() : new ListCutter(input.name)
  for await (const cuts of cutRecords(input, cutter))
    yield cuts.map(({ text, ...place }) => ({ ...place, ...parse(text) }))
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

/**
 * What determines the structure of a list; most of its objects have none inside, and are passed as one. A quote alone opens a text that the
 * window does not end.
 */
const MARK = /\{[^{}[\]"]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^{}[\]"]*)*\}|"[^"\\]*(?:\\.[^"\\]*)*"|["{}[\],]/gs

const DEPTHS: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 }

const HINT = 'expected one list of objects: [{…}, {…}]; for an object a line use --format jsonl'

/** Cuts a list at the commas and brackets of its own; parsing finds what is no element between them. */
class ListCutter implements Cutter {
  readonly #name: string
  #line = 1
  #lineAt = 0
  #expected: 'list' | 'first' | 'element' | 'nothing' = 'list'
  #window: Window = { units: '', offset: 0, isLast: false }
  #used = 0

  constructor(name: string) {
    this.#name = name
  }

  line(): number {
    return this.#line
  }

  cut(window: Window) {
    const { units, isLast } = window
    this.#window = window
    this.#used = 0
    const cuts: Cut[] = []
    let depth = this.#expected === 'list' ? 0 : 1
    for (const { 0: mark, index } of units.matchAll(MARK)) {
      if (mark.length > 1) continue
      if (mark === '"' || this.#isOutside(mark, index)) break
      depth += DEPTHS[mark] ?? 0
      const cut = this.#cutAt(mark, index, depth)
      if (cut) cuts.push(cut)
    }
    this.#refuseStray()
    if (isLast && this.#expected !== 'nothing') {
      const expected = this.#expected === 'list' ? 'a list, which begins with [' : ', or ]'
      this.#refuse(units.length, `it ends too early, expected ${expected}`)
    }
    return { cuts, used: this.#used }
  }

  #isOutside(mark: string, index: number): boolean {
    const isBegin = mark === '[' && this.#window.units.slice(this.#used, index).trim() === ''
    return this.#expected === 'nothing' || (this.#expected === 'list' && !isBegin)
  }

  /** The element that a mark ends. */
  #cutAt(mark: string, index: number, depth: number): Cut | undefined {
    if (depth > 1 || (depth === 1 && mark !== ',' && this.#expected !== 'list')) return undefined
    if (depth === 0 && mark === '}') this.#refuse(index, 'expected , or ]')
    const found = this.#take(index)
    const isElement = mark === ',' || (mark === ']' && (this.#expected === 'element' || found.end > found.start))
    this.#expected = mark === ',' ? 'element' : depth === 0 ? 'nothing' : 'first'
    return isElement ? found : undefined
  }

  /** What stands before the mark, which the next part begins behind. */
  #take(end: number): Cut {
    const { units, offset } = this.#window
    const own = units.slice(this.#used, end)
    const start = this.#used + own.length - own.trimStart().length
    this.#passLines(this.#used, start)
    const position = offset + start - this.#lineAt + 1
    const found = { start, end: start + own.trim().length, line: this.#line, position }
    this.#passLines(start, end)
    this.#used = end + 1
    return found
  }

  #passLines(from: number, to: number): void {
    const { units, offset } = this.#window
    for (let at = units.indexOf('\n', from); at >= 0 && at < to; at = units.indexOf('\n', at + 1)) {
      this.#line++
      this.#lineAt = offset + at + 1
    }
  }

  #refuseStray(): void {
    const stray = this.#window.units.slice(this.#used).search(/\S/)
    if (stray < 0) return
    if (this.#expected === 'nothing') this.#refuse(this.#used + stray, 'expected nothing after the list')
    if (this.#expected === 'list') this.#refuse(this.#used + stray, 'expected a list, which begins with [')
  }

  #refuse(at: number, what: string): never {
    this.#passLines(this.#used, at)
    const column = this.#window.offset + at - this.#lineAt + 1
    throw inputError({ name: this.#name, line: this.#line, column, what, hint: HINT })
  }
}
