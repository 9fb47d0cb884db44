import { parseExactJson } from '../../core/exact-json.ts'
import type { JsonValue } from '../../core/json.ts'
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

function parse(json: string): { readonly value: JsonValue } | { readonly fault: string } {
  if (isTooDeep(json)) return { fault: TOO_DEEP }
  try {
    return { value: parseExactJson(json) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { fault: error.message.replace(/ \(line \d+ column \d+\)$/, '') }
  }
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
