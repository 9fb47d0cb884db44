import { isUtf8 } from 'node:buffer'
import { stat } from 'node:fs/promises'
import { inputError, readChunks, readHead } from './input-file.ts'
import type { Encoding } from './row.ts'

export interface TextEncoding {
  readonly encoding: Encoding
  readonly hasBom: boolean
}

export interface EncodingInput {
  readonly path: string
  readonly name: string
  /** `--encoding`. */
  readonly asked: Encoding | undefined
}

const BOMS: readonly (readonly [Encoding, Buffer])[] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
]
const HEAD_BYTES = 4096
/** Bytes without a character in Windows-1252. */
const NOT_WINDOWS = [0x81, 0x8d, 0x8f, 0x90, 0x9d]

/**
 * Reads the whole file once, so that an invalid byte is reported before any row. Without a byte order mark: UTF-16 if every
 * other byte at the beginning is 0, UTF-8 if that is valid. Any 8-bit encoding would give other letters for the same bytes, so
 * that a guess imports wrong names without an error: such a file needs `--encoding`.
 */
export async function detectEncoding({ path, name, asked }: EncodingInput): Promise<TextEncoding> {
  const head = await readHead(path, HEAD_BYTES)
  refuseArchive(head, name)
  const [marked, bom] = BOMS.find(([, mark]) => head.subarray(0, mark.length).equals(mark)) ?? []
  refuseOtherMark(name, asked, marked)
  const encoding = asked ?? marked ?? utf16Of(head) ?? (await requireUtf8(path, name))
  const isMarked = marked === encoding || (encoding === 'mixed' && marked === 'utf-8')
  const found = { encoding, hasBom: isMarked && bom !== undefined }
  await refuseInvalid({ path, name, asked: encoding })
  return found
}

/** In UTF-16, nearly all upper bytes of text in a Latin script are 0. */
function utf16Of(head: Buffer): Encoding | undefined {
  const zeros = [0, 0]
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const most = head.length / 2
  if (odd > most * 0.4 && even < most * 0.05) return 'utf-16le'
  return even > most * 0.4 && odd < most * 0.05 ? 'utf-16be' : undefined
}

async function requireUtf8(path: string, name: string): Promise<Encoding> {
  const invalidAt = await findInvalidUtf8(path)
  if (invalidAt === undefined) return 'utf-8'
  const isMixed = await hasUtf8Sequences(path)
  const what = isMixed
    ? 'a byte that is not UTF-8, although other characters are'
    : 'a byte that is not UTF-8, and nothing states the encoding of the file'
  const hint = isMixed ? await linesHint(path) : await readingsHint(path, invalidAt)
  throw inputError({ name, ...(await placeOf(path, invalidAt)), what, hint })
}

async function refuseInvalid({ path, name, asked }: EncodingInput): Promise<void> {
  if (asked === 'utf-8') {
    const at = await findInvalidUtf8(path)
    if (at === undefined) return
    const hint = (await hasUtf8Sequences(path)) ? await linesHint(path) : await readingsHint(path, at)
    throw inputError({ name, ...(await placeOf(path, at)), what: 'a byte that is not UTF-8', hint })
  }
  if (asked === 'windows-1252') {
    const at = await findByte(path, NOT_WINDOWS)
    if (at === undefined) return
    const what = 'a byte that is valid neither in UTF-8 nor in Windows-1252'
    const hint = await readingsHint(path, at)
    throw inputError({ name, ...(await placeOf(path, at)), what, hint })
  }
  if (asked === 'utf-16le' || asked === 'utf-16be') await refuseHalfUnit(path, name, asked)
}

async function readingsHint(path: string, at: number): Promise<string> {
  const { likelyReadings } = await import('./decode-input.ts')
  const readings = await likelyReadings(path, at)
  return readings.length > 0 ? readings.join('; ') : 'name its encoding: --encoding windows-1250, or another one'
}

/** The mark states the encoding; any other would read it as part of the first column name, and every accent wrong. */
function refuseOtherMark(name: string, asked: Encoding | undefined, marked: Encoding | undefined): void {
  if (asked === undefined || marked === undefined || asked === marked) return
  if (asked === 'mixed' && marked === 'utf-8') return
  const what = `it begins with the byte order mark of ${marked}, which --encoding ${asked} contradicts`
  throw inputError({ name, line: 1, offset: 0, what, hint: 'leave out --encoding: the mark states the encoding' })
}

/** Names the lines that are not UTF-8 in a file that otherwise is. */
async function linesHint(path: string): Promise<string> {
  const { count, first } = await findInvalidLines(path)
  const lines = `${count === 1 ? '1 line is' : `${count} lines are`} not UTF-8: ${first.join(', ')}${count > first.length ? ' …' : ''}`
  return `${lines}; --encoding mixed reads ${count === 1 ? 'it' : 'them'} as Windows-1252, and the other lines as UTF-8`
}

/** A character of UTF-16 takes two bytes or four, so the size must be even. */
async function refuseHalfUnit(path: string, name: string, encoding: 'utf-16le' | 'utf-16be'): Promise<void> {
  const { size } = await stat(path)
  if (size % 2 === 0) return
  let line = 1
  const decoder = new TextDecoder(encoding)
  for await (const { bytes } of readChunks(path, 0)) {
    for (const char of decoder.decode(bytes, { stream: true })) if (char === '\n') line++
  }
  const what = `half a character at its end: ${encoding} takes an even number of bytes, and the file has ${size}`
  throw inputError({ name, line, offset: size - 1, what, hint: 'the file was cut, or is in another --encoding' })
}

/** Refuses files of spreadsheets and compressed files. */
function refuseArchive(head: Buffer, name: string): void {
  const magic = head.toString('latin1', 0, 4)
  const refuse = (what: string, hint: string): never => {
    throw inputError({ name, line: 1, offset: 0, what, hint })
  }
  if (magic === 'PK\x03\x04')
    refuse('a spreadsheet or a zip archive, expected text', 'a workbook is read as xlsx: leave out --format')
  if (magic === '\xd0\xcf\x11\xe0')
    refuse(
      'a spreadsheet in the format before xlsx (xls), or one with a password, expected xlsx or text',
      'save it as xlsx without a password, or as CSV UTF-8, and import that',
    )
  if (magic.startsWith('\x1f\x8b')) refuse('compressed with gzip, expected text', `pipe it in: gzip -dc FILE | … -`)
}

async function findByte(path: string, wanted: readonly number[]): Promise<number | undefined> {
  let offset = 0
  for await (const { bytes } of readChunks(path, 0)) {
    const found = wanted.map((byte) => bytes.indexOf(byte)).filter((at) => at >= 0)
    if (found.length > 0) return offset + Math.min(...found)
    offset += bytes.length
  }
  return undefined
}

async function placeOf(path: string, offset: number): Promise<{ readonly line: number; readonly offset: number }> {
  let line = 1
  let start = 0
  for await (const { bytes } of readChunks(path, 0)) {
    const before = bytes.subarray(0, Math.max(0, offset - start))
    for (let at = before.indexOf(0x0a); at >= 0; at = before.indexOf(0x0a, at + 1)) line++
    start += bytes.length
    if (start > offset) break
  }
  return { line, offset }
}

/** The offset of the first byte that is not UTF-8; undefined if the file is valid. Runs at the speed of the disk. */
async function findInvalidUtf8(path: string): Promise<number | undefined> {
  for await (const { bytes, offset } of readSequences(path)) {
    if (isUtf8(bytes)) continue
    for (let at = 0; ; ) {
      const length = sequenceLength(bytes, at)
      if (length === 0) return offset + at
      at += length
    }
  }
  return undefined
}

/** Whether any character beyond ASCII is encoded as UTF-8; such sequences of bytes are rare in Windows-1252. */
async function hasUtf8Sequences(path: string): Promise<boolean> {
  for await (const { bytes } of readSequences(path)) {
    for (let at = 0; at < bytes.length; at++) if (sequenceLength(bytes, at) > 1) return true
  }
  return false
}

/** The number of lines that are named. */
const FIRST_LINES = 5

interface InvalidLines {
  readonly count: number
  readonly first: readonly number[]
}

/** The lines with a byte that is not UTF-8. Slower than findInvalidUtf8, and so called only after it found one. */
async function findInvalidLines(path: string): Promise<InvalidLines> {
  const first: number[] = []
  let [line, count, lastLine] = [1, 0, 0]
  for await (const { bytes } of readSequences(path)) {
    for (let at = 0; at < bytes.length; ) {
      const length = sequenceLength(bytes, at)
      if (length === 0 && line !== lastLine) {
        if (first.length < FIRST_LINES) first.push(line)
        count++
        lastLine = line
      }
      if (bytes[at] === 0x0a) line++
      at += length || 1
    }
  }
  return { count, first }
}

/** Chunks that end at the end of a character, where possible. */
async function* readSequences(path: string): AsyncGenerator<{ readonly bytes: Buffer; readonly offset: number }> {
  let offset = 0
  let rest: Buffer = Buffer.alloc(0)
  for await (const { bytes, isLast } of readChunks(path, 0)) {
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    const whole = isLast ? all : all.subarray(0, all.length - unfinishedBytes(all))
    yield { bytes: whole, offset }
    offset += whole.length
    rest = Buffer.from(all.subarray(whole.length))
  }
}

/** The number of bytes of an incomplete character at the end. */
function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte >= 0xc0) return leadLength(byte) > back ? back : 0
    if (byte < 0x80) return 0
  }
  return 0
}

function leadLength(byte: number): number {
  if (byte < 0x80) return 1
  if (byte < 0xc2 || byte > 0xf4) return 0
  if (byte < 0xe0) return 2
  return byte < 0xf0 ? 3 : 4
}

/** The length of the character at `at`, 1 to 4; 0 if the bytes are not UTF-8 (RFC 3629, 4). */
function sequenceLength(bytes: Buffer, at: number): number {
  const length = leadLength(bytes[at] ?? 0)
  return length <= 1 || (at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length))) ? length : 0
}
