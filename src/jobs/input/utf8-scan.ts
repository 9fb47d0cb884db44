import { isUtf8 } from 'node:buffer'
import { readChunks } from './read-chunks.ts'

/** Of the first byte of the file that is not UTF-8; undefined when all of it is. Runs at the speed of the disk. */
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

/** Whether any character beyond ASCII is written as UTF-8 writes it; in Windows-1252 such neighbours are rare. */
export async function hasUtf8Sequences(path: string): Promise<boolean> {
  for await (const { bytes } of readSequences(path)) {
    for (let at = 0; at < bytes.length; at++) if (sequenceLength(bytes, at) > 1) return true
  }
  return false
}

/** So many are named. */
const FIRST_LINES = 5

export interface InvalidLines {
  readonly count: number
  readonly first: readonly number[]
}

/** The lines that hold a byte which is not UTF-8. Slower than to find the first byte, for when it is there. */
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

/** Chunks that end behind a whole character, where that is possible. */
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

/** How many of the last bytes begin a character that goes on behind them. */
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

/** Of the character at `at`, 1 to 4; 0 when the bytes are no UTF-8 (RFC 3629, 4). */
function sequenceLength(bytes: Buffer, at: number): number {
  const length = leadLength(bytes[at] ?? 0)
  return length <= 1 || (at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length))) ? length : 0
}
