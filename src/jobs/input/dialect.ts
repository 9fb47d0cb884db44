import { CrmError } from '../../core/errors.ts'
import { createColumnResolver, parseMap } from './columns.ts'
import { type Dialect, sampleCells } from './read-delimited.ts'
import type { InputFormat, RowOptions } from './row.ts'

/** The beginning of an input. */
export interface InputSample {
  readonly text: string
  readonly isWhole: boolean
}

/** How a delimited text is written, and where its header row may begin. */
interface Found {
  readonly dialect: Dialect
  readonly start?: { readonly line: number; readonly offset: number }
}

const DELIMITERS = [',', ';', '\t', '|'] as const

const NO_QUOTE = 'none'

/** A first line that tells Excel the delimiter. */
const MARK_OF_EXCEL = /^sep=([\t -~])(?:\r\n|\n|\r)/i

export function dialectOf(options: RowOptions, format: InputFormat, sample: InputSample): Found {
  const newline = sample.text.includes('\n') || !sample.text.includes('\r') ? '\n' : '\r'
  const { delimiter, quote = '"' } = options
  // As readWorkbook writes it.
  if (format === 'xlsx') return { dialect: { delimiter: ',', quote: '"', newline: '\n', rowsAreLines: true } }
  if (format === 'tsv') {
    // The format of `-o tsv`: tabs, and backslash escapes. Quotes are text.
    if ((delimiter ?? '\t') !== '\t' || (options.quote ?? NO_QUOTE) !== NO_QUOTE) {
      throw new CrmError('usage', 'tsv has tabs and no quotes', {
        hint: '--format csv --delimiter tab reads lines with tabs and quotes',
      })
    }
    return { dialect: { delimiter: '\t', quote: undefined, newline } }
  }
  const marks = { quote: quote === NO_QUOTE ? undefined : quote, newline } as const
  checkMark('--delimiter', delimiter, marks.quote)
  checkMark('--quote', marks.quote, delimiter)
  const [first, stated] = MARK_OF_EXCEL.exec(sample.text) ?? []
  if (first !== undefined && stated !== undefined && stated !== marks.quote) {
    return { dialect: { delimiter: delimiter ?? stated, ...marks }, start: { line: 2, offset: first.length } }
  }
  return { dialect: { delimiter: delimiter ?? detectDelimiter(options, sample, marks), ...marks } }
}

/**
 * The delimiter that cuts the sample into lines with the same number of cells; then the one with the most headers that are
 * fields, then the one with the most columns. A single column has no delimiter; the result is then a comma.
 */
function detectDelimiter(options: RowOptions, sample: InputSample, marks: Omit<Dialect, 'delimiter'>) {
  const mappings = parseMap(options.map)
  const resolve = createColumnResolver(options.kind, mappings, options)
  const isKnown = (header: string): boolean => {
    const column = resolve(header.trim())
    return mappings.has(header.trim()) || (!('suggestion' in column) && column.isKnown)
  }
  const ranks = DELIMITERS.map((delimiter) => rankOf({ delimiter, ...marks }, sample, isKnown))
  return DELIMITERS[ranks.indexOf(Math.max(...ranks))] ?? ','
}

function rankOf(dialect: Dialect, { text, isWhole }: InputSample, isKnown: (header: string) => boolean): number {
  const read = sampleCells(text, dialect)
  // The last record of a part may be cut off.
  const [headers = [], ...others] = isWhole ? read.rows : read.rows.slice(0, -1)
  if (headers.length < 2) return 0
  const isEven = (read.isWhole || !isWhole) && others.every(({ length }) => length === headers.length)
  return (isEven ? 1_000_000 : 0) + headers.filter(isKnown).length * 1_000 + Math.min(headers.length, 999)
}

/** Accepts one ASCII character, which is one unit in every encoding. */
function checkMark(flag: string, mark: string | undefined, other: string | undefined): void {
  if (mark === undefined || (/^[\t -~]$/.test(mark) && mark !== other)) return
  throw new CrmError(
    'usage',
    `${flag} ${JSON.stringify(mark)}: expected one ASCII character, and not that of the other flag`,
    { hint: `--delimiter ';', --delimiter tab, --quote "'", --quote none` },
  )
}

export function lineEndOf({ text }: InputSample, { newline }: Dialect): '\n' | '\r\n' | '\r' {
  if (newline === '\r') return '\r'
  return text[text.indexOf('\n') - 1] === '\r' ? '\r\n' : '\n'
}
