import { isAscii } from 'node:buffer'
import type { JsonValue } from '../../core/json.ts'
import { inputError, readChunks } from './input-file.ts'
import { encodingOf } from './mixed-encoding.ts'
import type { Encoding, FormatSummary, InputRow } from './row.ts'
import type { RowDraft } from './row-draft.ts'

/** The position of a record in the units of a window, and the line that it starts on. */
export interface Cut {
  readonly start: number
  readonly end: number
  readonly line: number
}

export interface Window {
  readonly units: string
  /** Byte offset of the first unit. */
  readonly offset: number
  /** Whether the window ends the input. */
  readonly isLast: boolean
}

/** Finds the records of one format; keeps its position between windows. */
export interface Cutter<C extends Cut> {
  /** All complete records of the window, and the units that they take; the next window starts with the rest. */
  cut(window: Window): { readonly cuts: readonly C[]; readonly used: number }
  /** The line on which the next record starts. */
  line(): number
}

export interface CutBatch<C extends Cut> {
  readonly cuts: readonly C[]
  readonly window: Window
  /** Whether the units equal the text, so that nothing needs decoding. */
  readonly isDecoded: boolean
}

export interface CutInput {
  readonly path: string
  readonly name: string
  readonly encoding: Encoding
  readonly hasBom: boolean
  readonly signal: AbortSignal
}

/** A server accepts 1 MiB (2 MiB as UTF-16); an unclosed quote must not read a whole file into memory. */
const MOST_RECORD_BYTES = 2 * 1024 * 1024

/** The records of a file, one window at a time; no more than that is in memory. */
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
    if (cuts.length > 0) yield { cuts, window, isDecoded: unitBytes === 2 || isAscii(whole) }
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
  return encoding === 'utf-8' || encoding === 'mixed' ? 3 : 2
}

/** A value of a JSON or YAML input and its position, the member that it has twice, or the reason why it cannot be read. */
export type ReadValue = Pick<InputRow, 'line' | 'offset' | 'length'> &
  ({ readonly value: JsonValue } | { readonly repeated: string } | { readonly fault: string })

/** The beginning of an input as text, from which its format is detected. */
export interface InputSample {
  readonly text: string
  readonly isWhole: boolean
}

/** An input, opened in its format. */
export interface OpenInput {
  readonly summary: FormatSummary
  /** Whether values are the texts of cells, not JSON. */
  readonly areCells: boolean
  /** Starts at the beginning each time. */
  drafts(hooks: DraftHooks): AsyncIterable<readonly RowDraft[]>
}

/** Called with the line of a row. */
export interface DraftHooks {
  onBlank(line: number): void
  /** For a line in the second encoding of a mixed input. */
  onRepaired(line: number): void
}

/**
 * Converts bytes to text and keeps byte offsets. `units` maps each code unit, of one byte or two, to one character;
 * delimiters and quotes are found in the units, and only the text between them is decoded.
 */
interface Codec {
  readonly unitBytes: 1 | 2
  units(bytes: Buffer): string
  /** The bytes of these units. */
  raw(units: string): Buffer
  /** Decodes units whose bytes are known to be valid. */
  text(units: string): string
  bytes(text: string): Buffer
}

/** 0x80 to 0x9f of Windows-1252; Node's own decoder has confused them with Latin-1 in some releases (nodejs/node 56542). */
const UPPER_CONTROLS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

const CODECS: Readonly<Record<Encoding, Codec>> = {
  'utf-8': {
    unitBytes: 1,
    units: (bytes) => bytes.toString('latin1'),
    raw: (units) => Buffer.from(units, 'latin1'),
    text: (units) => Buffer.from(units, 'latin1').toString(),
    bytes: (text) => Buffer.from(text),
  },
  'windows-1252': {
    unitBytes: 1,
    units: (bytes) => bytes.toString('latin1'),
    raw: (units) => Buffer.from(units, 'latin1'),
    text: (units) => units.replace(/[\x80-\x9f]/g, (unit) => UPPER_CONTROLS[unit.charCodeAt(0) - 0x80] ?? unit),
    bytes: (text) => Buffer.from(encodeWindows(text), 'latin1'),
  },
  mixed: {
    unitBytes: 1,
    units: (bytes) => bytes.toString('latin1'),
    raw: (units) => Buffer.from(units, 'latin1'),
    text: (units) => CODECS[encodingOf(units) === 'utf-8' ? 'utf-8' : 'windows-1252'].text(units),
    bytes: (text) => Buffer.from(text),
  },
  'utf-16le': {
    unitBytes: 2,
    units: (bytes) => bytes.toString('utf16le'),
    raw: (units) => Buffer.from(units, 'utf16le'),
    text: (units) => units,
    bytes: (text) => Buffer.from(text, 'utf16le'),
  },
  'utf-16be': {
    unitBytes: 2,
    units: (bytes) => Buffer.from(bytes).swap16().toString('utf16le'),
    raw: (units) => Buffer.from(units, 'utf16le').swap16(),
    text: (units) => units,
    bytes: (text) => Buffer.from(text, 'utf16le').swap16(),
  },
}

export function codecOf(encoding: Encoding): Codec {
  return CODECS[encoding]
}

/** A character without a byte in Windows-1252 becomes a question mark, as in other programs. */
function encodeWindows(text: string): string {
  return text.replace(/[^\p{ASCII}\xa0-\xff]/gu, (char) => {
    const at = UPPER_CONTROLS.indexOf(char)
    return at < 0 ? '?' : String.fromCharCode(0x80 + at)
  })
}
