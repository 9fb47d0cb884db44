import { CrmError } from '../../core/errors.ts'
import { createDelimitedCutter } from './cut-delimited.ts'
import type { Dialect } from './dialect.ts'

export interface DialectInput {
  readonly name: string
  /** The beginning of the input, as text. */
  readonly sample: string
  readonly isWhole: boolean
  readonly delimiter: string | undefined
  readonly quote: string | undefined
  /** Whether a head is the name of a field; of delimiters that fit, the one that finds most of them wins. */
  readonly isKnown: (head: string) => boolean
}

const DELIMITERS = [',', ';', '\t', '|'] as const

interface Fit {
  readonly delimiter: string
  readonly columns: number
  readonly known: number
  /** Whether all lines of the sample have as many cells as the first. */
  readonly isEven: boolean
}

/**
 * The delimiter that cuts the sample into lines of the same number of cells. Where several do, what the heads mean decides,
 * and then their number. One column alone has no delimiter; a comma then says that.
 */
export function detectDialect(input: DialectInput): Dialect {
  const newline = input.sample.includes('\n') || !input.sample.includes('\r') ? '\n' : '\r'
  const { quote } = input
  if (input.delimiter !== undefined) return { delimiter: input.delimiter, quote, newline }
  const fits = DELIMITERS.map((delimiter) => fitOf(input, { delimiter, quote, newline }))
  const rank = ({ columns, known, isEven }: Fit): number =>
    columns < 2 ? 0 : (isEven ? 1_000_000 : 0) + known * 1_000 + Math.min(columns, 999)
  const best = fits.reduce((one, other) => (rank(other) > rank(one) ? other : one))
  return { delimiter: best.delimiter, quote, newline }
}

function fitOf({ sample, isWhole, isKnown }: DialectInput, dialect: Dialect): Fit {
  const rows = cutSample(sample, isWhole, dialect) ?? cutSample(sample.split(dialect.newline, 1).join(), true, dialect)
  const [heads = [], ...others] = rows ?? []
  const isEven = rows !== undefined && others.every(({ length }) => length === heads.length)
  return { delimiter: dialect.delimiter, columns: heads.length, known: heads.filter(isKnown).length, isEven }
}

/** Undefined when the sample breaks the rules under this dialect, which under another one it may keep. */
function cutSample(sample: string, isWhole: boolean, dialect: Dialect): readonly (readonly string[])[] | undefined {
  const cutter = createDelimitedCutter(dialect, '-', 1)
  try {
    return cutter.cut({ units: sample, offset: 0, isLast: isWhole }).cuts.map(({ cells }) => cells)
  } catch (error) {
    if (error instanceof CrmError) return undefined
    throw error
  }
}
