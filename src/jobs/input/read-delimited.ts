import { restoreDefused } from '../../output/safe-text.ts'
import { type CellRules, cellsToRow } from './cells-to-row.ts'
import { codecOf } from './codec.ts'
import { createDelimitedCutter } from './cut-delimited.ts'
import { type CutInput, cutRecords } from './cut-records.ts'
import { type Dialect, unescapeTsv } from './dialect.ts'
import type { Draft } from './draft.ts'
import { inputError, type Place } from './input-error.ts'

export interface DelimitedInput extends CutInput {
  readonly dialect: Dialect
  /** Whether cells have the backslash escapes of `-o tsv`. */
  readonly hasEscapes: boolean
  readonly isCsvSafe: boolean
}

export interface HeaderLine extends Place {
  /** In bytes, line end excluded. */
  readonly length: number
  readonly headers: readonly string[]
}

const BEYOND_ASCII = /\P{ASCII}/u

type ReadCell = (cell: string) => string | undefined

/** The first line that is not blank; CrmError when there is none. */
export async function readHeaderRow(input: DelimitedInput): Promise<HeaderLine> {
  const { dialect, name, encoding } = input
  const { unitBytes } = codecOf(encoding)
  for await (const { cuts, window } of cutRecords(input, createDelimitedCutter(dialect, name, unitBytes))) {
    const [first] = cuts
    if (!first) continue
    const readCell = cellReader(input, false)
    const place = { line: first.line, offset: window.offset + first.start * unitBytes }
    const headers = first.cells.map((cell) => (readCell(cell) ?? cell).trim())
    return { ...place, length: (first.end - first.start) * unitBytes, headers }
  }
  throw inputError({
    name,
    line: 1,
    offset: 0,
    what: 'the input is empty, expected a header row',
    hint: 'give a file with a header row, such as name,email',
  })
}

export async function* readDelimited(
  input: DelimitedInput,
  rules: Omit<CellRules, 'readCell'> & { readonly onBlank: (line: number) => void },
): AsyncGenerator<readonly Draft[]> {
  const { dialect, name, encoding } = input
  const { unitBytes } = codecOf(encoding)
  const [plain, decoding] = [cellReader(input, true), cellReader(input, false)]
  let isHead = true
  for await (const { cuts, window, isPlain } of cutRecords(input, createDelimitedCutter(dialect, name, unitBytes))) {
    const cellRules = { ...rules, readCell: isPlain ? plain : decoding }
    const drafts: Draft[] = []
    for (const { cells, line, start, end } of isHead ? cuts.slice(1) : cuts) {
      const place = { line, offset: window.offset + start * unitBytes, length: (end - start) * unitBytes }
      const draft = cellsToRow(cells, place, cellRules)
      if (draft) drafts.push(draft)
      else rules.onBlank(line)
    }
    isHead = false
    yield drafts
  }
}

function cellReader({ encoding, hasEscapes, isCsvSafe }: DelimitedInput, isPlain: boolean): ReadCell {
  const { text } = codecOf(encoding)
  const decode: (cell: string) => string = isPlain
    ? (cell) => cell
    : (cell) => (BEYOND_ASCII.test(cell) ? text(cell) : cell)
  if (!hasEscapes && !isCsvSafe) return decode
  const withoutEscapes: ReadCell = hasEscapes ? unescapeTsv : (cell) => cell
  return (cell) => {
    const plain = withoutEscapes(decode(cell))
    return isCsvSafe && plain !== undefined ? restoreDefused(plain) : plain
  }
}
