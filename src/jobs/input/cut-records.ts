import { isAscii } from 'node:buffer'
import type { JsonValue } from '../../core/json.ts'
import { codecOf } from './codec.ts'
import type { Draft } from './draft.ts'
import { inputError } from './input-error.ts'
import { readChunks } from './read-chunks.ts'
import type { Encoding, InputRow, Verdict } from './row.ts'

/** Where a record stands among the units of a window, and the line that it starts on. */
export interface Cut {
  readonly start: number
  readonly end: number
  readonly line: number
}

export interface Window {
  readonly units: string
  /** Byte offset of the first unit. */
  readonly offset: number
  /** Nothing comes behind it. */
  readonly isLast: boolean
}

/** Knows one format's records; keeps where it is between windows. */
export interface Cutter<C extends Cut> {
  /** All whole records of the window, and the units they took; what is left comes again, with more behind it. */
  cut(window: Window): { readonly cuts: readonly C[]; readonly used: number }
  /** The line on which the next record starts. */
  line(): number
}

export interface CutBatch<C extends Cut> {
  readonly cuts: readonly C[]
  readonly window: Window
  /** Whether the units are the text, so that nothing has to be decoded. */
  readonly isPlain: boolean
}

export interface CutInput {
  readonly path: string
  readonly name: string
  readonly encoding: Encoding
  readonly hasBom: boolean
  readonly signal: AbortSignal
}

/** A service takes 1 MiB (2 MiB as UTF-16); a quote that is never closed must not read a whole file into memory. */
const MOST_RECORD_BYTES = 2 * 1024 * 1024

/** The records of a file, a window at a time; no more of it is in memory. */
export async function* cutRecords<C extends Cut>(input: CutInput, cutter: Cutter<C>): AsyncGenerator<CutBatch<C>> {
  const { unitBytes, units } = codecOf(input.encoding)
  let offset = bomBytes(input)
  let rest: Buffer = Buffer.alloc(0)
  for await (const { bytes, isLast } of readChunks(input.path, offset)) {
    input.signal.throwIfAborted()
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    const whole = all.subarray(0, all.length - (all.length % unitBytes))
    const window = { units: units(whole), offset, isLast }
    const { cuts, used } = cutter.cut(window)
    if (cuts.length > 0) yield { cuts, window, isPlain: unitBytes === 2 || isAscii(whole) }
    rest = Buffer.from(all.subarray(used * unitBytes))
    offset += used * unitBytes
    if (rest.length > MOST_RECORD_BYTES) throw tooLong(input.name, cutter.line(), offset)
  }
}

function tooLong(name: string, line: number, offset: number): Error {
  return inputError({
    name,
    line,
    offset,
    what: `the record that starts here is longer than ${MOST_RECORD_BYTES} bytes`,
    hint: 'look for a quote or a bracket that is opened there and never closed; else shorten it',
  })
}

export function bomBytes({ encoding, hasBom }: Pick<CutInput, 'encoding' | 'hasBom'>): number {
  if (!hasBom) return 0
  return encoding === 'utf-8' ? 3 : 2
}

/** One value of an input that names its members, and where it stands; or why it cannot be read. */
export type ReadValue = Pick<InputRow, 'line' | 'offset' | 'length'> &
  ({ readonly value: JsonValue } | { readonly fault: string })

/** The beginning of an input as text, from which its format is detected. */
export interface Sample {
  readonly text: string
  readonly isWhole: boolean
}

/** What a format makes of an input. */
export interface OpenInput {
  readonly verdict: Verdict
  /** Values are texts as a file of cells has them, not JSON. */
  readonly areCells: boolean
  /** From the beginning, each time. `onBlank` gets the lines of blank rows. */
  drafts(onBlank: (line: number) => void): AsyncIterable<readonly Draft[]>
}
