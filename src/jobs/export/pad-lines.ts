import type { OutputStream } from '../../core/streams.ts'
import { createDelimitedCutter } from '../input/cut-delimited.ts'
import { cutRecords } from '../input/cut-records.ts'
import type { Dialect } from '../input/dialect.ts'
import type { InputFormat } from '../input/row.ts'

export interface Padding {
  /** Lines that each have as many cells as there were columns when they were written. */
  readonly from: string
  /** The line of heads as it came to be, with its line end. */
  readonly heads: string
  readonly out: { readonly format: InputFormat; readonly signal: AbortSignal }
  readonly stream: OutputStream
}

/** Gives every line as many cells as there are heads: what is not there is an empty one. */
export async function padLines({ from, heads, out, stream }: Padding): Promise<void> {
  const dialect: Dialect =
    out.format === 'tsv'
      ? { delimiter: '\t', quote: undefined, newline: '\n' }
      : { delimiter: ',', quote: '"', newline: '\n' }
  const lineEnd = out.format === 'tsv' ? '\n' : '\r\n'
  const headCutter = createDelimitedCutter(dialect, from, 1)
  const [head] = headCutter.cut({ units: heads, offset: 0, isLast: true }).cuts
  const width = head?.cells.length ?? 0
  stream.write(heads)
  let isHead = true
  const input = { path: from, name: from, encoding: 'utf-8', hasBom: false, signal: out.signal } as const
  for await (const { cuts, window } of cutRecords(input, createDelimitedCutter(dialect, from, 1))) {
    const lines = (isHead ? cuts.slice(1) : cuts).map(
      ({ start, end, cells }) =>
        window.units.slice(start, end) + dialect.delimiter.repeat(width - cells.length) + lineEnd,
    )
    isHead = false
    // The units of UTF-8 are its bytes.
    stream.write(Buffer.from(lines.join(''), 'latin1').toString())
  }
}
