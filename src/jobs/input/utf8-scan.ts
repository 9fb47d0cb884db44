import { isUtf8 } from 'node:buffer'
import { readChunks } from './read-chunks.ts'

/** The offset of the first byte that is not UTF-8; undefined if the file is valid. Runs at the speed of the disk. */
export async function findInvalidUtf8(path: string): Promise<number | undefined> {
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
export async function hasUtf8Sequences(path: string): Promise<boolean> {
  for await (const { bytes } of readSequences(path)) {
    for (let at = 0; at < bytes.length; at++) if (sequenceLength(bytes, at) > 1) return true
  }
  return false
}

/** The number of lines that are named. */
const FIRST_LINES = 5

export interface InvalidLines {
  readonly count: number
  readonly first: readonly number[]
}

/** The lines with a byte that is not UTF-8. Slower than findInvalidUtf8, and so called only after it found one. */
export async function findInvalidLines(path: string): Promise<InvalidLines> {
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
