import { exactDigits, type JsonValue, parseExactJson } from '../../core/json.ts'
import { codecOf } from './codec.ts'
import { createJsonListCutter } from './cut-json-list.ts'
import { type Cut, type CutInput, type Cutter, cutRecords, type ReadValue } from './cut-records.ts'
import { isTooDeep, TOO_DEEP } from './input-error.ts'

/** One value per line, or the elements of one list. Invalid JSON is a finding, and the rest is still read. */
export async function* readJson(input: CutInput, format: 'json' | 'jsonl'): AsyncGenerator<readonly ReadValue[]> {
  const { unitBytes, text } = codecOf(input.encoding)
  const cutter = format === 'jsonl' ? createLineCutter() : createJsonListCutter(input.name, unitBytes)
  for await (const { cuts, window, isPlain } of cutRecords(input, cutter)) {
    yield cuts.map(({ start, end, line }) => {
      const units = window.units.slice(start, end)
      const place = { line, offset: window.offset + start * unitBytes, length: (end - start) * unitBytes }
      return { ...place, ...parse(isPlain ? units : text(units)) }
    })
  }
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
function createLineCutter(): Cutter<Cut> {
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
