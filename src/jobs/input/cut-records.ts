import { isAscii } from 'node:buffer'
import type { JsonValue } from '../../core/json.ts'
import { inputError, readChunks } from './input-file.ts'
import type { FormatSummary, InputRow } from './row.ts'
import type { RowDraft } from './row-draft.ts'

/** A text in UTF-8 without a byte order mark, as decodeInput leaves it. */
export interface DecodedText {
  readonly path: string
  readonly name: string
  readonly signal: AbortSignal
  /** Bytes before the text. */
  readonly start?: number
}

/** The position of a record in the units of a window, and the line that it starts on. */
export interface Cut {
  readonly start: number
  readonly end: number
  readonly line: number
  /** The column of its line, where records do not begin with their lines. */
  readonly position?: number
}

/** A part of the text of which each byte is one character, so that a position is an offset. */
export interface Window {
  readonly units: string
  /** Byte offset of the first unit. */
  readonly offset: number
  /** Whether the window ends the input. */
  readonly isLast: boolean
}

/** Finds the records of one format; keeps its position between windows. */
export interface Cutter {
  /** All complete records of the window, and the units that they take; the next window starts with the rest. */
  cut(window: Window): { readonly cuts: readonly Cut[]; readonly used: number }
  /** The line on which the next record starts. */
  line(): number
}

/** A record, and where it is. */
export interface CutText extends Pick<InputRow, 'line' | 'offset' | 'length' | 'position'> {
  readonly text: string
}

/** A server accepts 1 MiB; an unclosed quote must not read a whole file into memory. */
export const MOST_RECORD_BYTES = 1024 * 1024

/** The records of a file, one window at a time; no more than that is in memory. */
export async function* cutRecords(input: DecodedText, cutter: Cutter): AsyncGenerator<readonly CutText[]> {
  let offset = 0
  let rest: Buffer = Buffer.alloc(0)
  for await (const { bytes, isLast } of readChunks(input.path, 0)) {
    input.signal.throwIfAborted()
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    const window = { units: all.toString('latin1'), offset, isLast }
    const { cuts, used } = cutter.cut(window)
    if (cuts.length > 0) yield textsOf(cuts, window, isAscii(all))
    rest = Buffer.from(all.subarray(used))
    offset += used
    if (rest.length > MOST_RECORD_BYTES) throw tooLong(input.name, cutter.line())
  }
}

function textsOf(cuts: readonly Cut[], { units, offset }: Window, isText: boolean): readonly CutText[] {
  return cuts.map(({ start, end, line, position }) => {
    const own = units.slice(start, end)
    const place = { line, offset: offset + start, length: end - start, ...(position !== undefined && { position }) }
    return { ...place, text: isText ? own : Buffer.from(own, 'latin1').toString() }
  })
}

export function tooLong(name: string, line: number): Error {
  return inputError({
    ...{ name, line, what: `the record that starts here is longer than ${MOST_RECORD_BYTES} bytes` },
    hint: 'look for a quote or a bracket that is opened there and never closed; else shorten it',
  })
}

/** A value of a JSON or YAML input and its position, the member that it has twice, or the reason why it cannot be read. */
export type ReadValue = Pick<InputRow, 'line' | 'offset' | 'length' | 'position'> &
  ({ readonly value: JsonValue } | { readonly repeated: string } | { readonly fault: string })

/** The beginning of an input, from which its format is detected. */
export interface InputSample {
  readonly text: string
  readonly isWhole: boolean
}

/** An input, opened in its format. */
export interface OpenInput {
  readonly summary: FormatSummary
  /** Whether values are the texts of cells, not JSON. */
  readonly areCells: boolean
  /** Starts at the beginning each time. `onBlank` is called with the line of a row without values. */
  drafts(onBlank: (line: number) => void): AsyncIterable<readonly RowDraft[]>
}
