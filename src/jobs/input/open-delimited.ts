import { CrmError } from '../../core/errors.ts'
import { createColumnResolver } from './columns.ts'
import type { CutInput } from './cut-records.ts'
import { detectDialect } from './detect-dialect.ts'
import type { Dialect } from './dialect.ts'
import { planColumns } from './header-row.ts'
import type { OpenInput, Sample } from './open-input.ts'
import { parseMap } from './parse-map.ts'
import { readDelimited, readHeads } from './read-delimited.ts'
import type { InputFormat, RowOptions } from './row.ts'

const DEFAULT_QUOTE = '"'
const NO_QUOTE = 'none'

/** csv and tsv: a line of heads, and below it a record a line. */
export async function openDelimited(
  options: RowOptions,
  cutInput: CutInput,
  format: InputFormat,
  sample: Sample,
): Promise<OpenInput> {
  const mappings = parseMap(options.map)
  const dialect = format === 'tsv' ? tsvDialect(options, sample) : csvDialect(options, sample)
  const input = { ...cutInput, dialect, hasEscapes: format === 'tsv', isCsvSafe: options.isCsvSafe }
  const head = await readHeads(input)
  const columns = planColumns({ ...head, name: options.name, kind: options.kind, mappings })
  const { encoding, hasBom } = cutInput
  const { delimiter, quote } = dialect
  return {
    verdict: {
      format,
      encoding,
      hasBom,
      delimiter,
      quote,
      lineEnd: lineEndOf(sample, dialect),
      head: { offset: head.offset, length: head.length },
      columns: columns.map(({ name, role, field }) => ({ name, field: role === 'ignored' ? undefined : field })),
    },
    areCells: true,
    drafts: (onBlank) =>
      readDelimited(input, { columns, nullToken: options.nullToken, hasGiven: options.compute.length > 0, onBlank }),
  }
}

/** Tabs, and backslashes for what a line cannot hold: what `-o tsv` prints. Quotes are text. */
function tsvDialect({ delimiter, quote }: RowOptions, sample: Sample): Dialect {
  if ((delimiter ?? '\t') !== '\t' || (quote ?? NO_QUOTE) !== NO_QUOTE) {
    throw new CrmError('usage', 'tsv has tabs and no quotes', {
      hint: '--format csv --delimiter tab reads lines with tabs and quotes',
    })
  }
  return { delimiter: '\t', quote: undefined, newline: newlineOf(sample) }
}

function csvDialect({ name, kind, map, ...asked }: RowOptions, { text, isWhole }: Sample): Dialect {
  const quote = asked.quote === NO_QUOTE ? undefined : (asked.quote ?? DEFAULT_QUOTE)
  refuseMark('--delimiter', asked.delimiter, quote)
  refuseMark('--quote', quote, asked.delimiter)
  const mappings = parseMap(map)
  const resolve = createColumnResolver(kind, mappings)
  const isKnown = (head: string): boolean => {
    const column = resolve(head.trim())
    return mappings.has(head.trim()) || (!('suggestion' in column) && column.isKnown)
  }
  return detectDialect({ name, sample: text, isWhole, delimiter: asked.delimiter, quote, isKnown })
}

/** One character of ASCII, which is one unit in every encoding. */
function refuseMark(flag: string, mark: string | undefined, other: string | undefined): void {
  if (mark === undefined || (/^[\t -~]$/.test(mark) && mark !== other)) return
  throw new CrmError(
    'usage',
    `${flag} ${JSON.stringify(mark)}: expected one character of ASCII, another than the other flag`,
    {
      hint: `--delimiter ';', --delimiter tab, --quote "'", --quote none`,
    },
  )
}

function newlineOf({ text }: Sample): Dialect['newline'] {
  return text.includes('\n') || !text.includes('\r') ? '\n' : '\r'
}

function lineEndOf({ text }: Sample, { newline }: Dialect): '\n' | '\r\n' | '\r' {
  if (newline === '\r') return '\r'
  return text[text.indexOf('\n') - 1] === '\r' ? '\r\n' : '\n'
}
