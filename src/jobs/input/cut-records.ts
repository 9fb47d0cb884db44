import { isAscii } from 'node:buffer'
import type { JsonValue } from '../../core/json.ts'
import { inputError, readChunks } from './input-file.ts'
import type { RowSpan } from './row.ts'

/** A text in UTF-8 without a byte order mark, as decodeInput leaves it. */
export interface DecodedText {
  readonly path: string
  readonly name: string
  readonly signal: AbortSignal
}

/** A value of a JSON or YAML input and its place, the member that it has twice, or the reason why it cannot be read. */
export type ReadValue = RowSpan &
  ({ readonly value: JsonValue } | { readonly repeated: string } | { readonly fault: string })

export interface Cuts {
  /** Where each record starts and ends, in their order. */
  readonly cuts: readonly (readonly [start: number, end: number])[]
  /** Where the rest begins, with which the next window starts. */
  readonly used: number
  /** What makes the rest unreadable. */
  readonly fault?: { readonly at: number; readonly what: string; readonly hint: string } | undefined
}

/** Finds the records in a window of the text, of which each byte is one character. */
export type Cut = (window: string, isLast: boolean) => Cuts

export interface CutText extends RowSpan {
  readonly text: string
  /** The column of its line where it starts, from 1. */
  readonly position: number
}

/** A server accepts 1 MiB; an unclosed quote must not read a whole file into memory. */
export const MOST_RECORD_BYTES = 1024 * 1024

/** The records of a file, one window at a time; no more than that is in memory. */
export async function* cutRecords({ path, name, signal }: DecodedText, cut: Cut): AsyncGenerator<readonly CutText[]> {
  let [rest, offset, line, lineAt] = [Buffer.alloc(0), 0, 1, 0]
  for await (const { bytes, isLast } of readChunks(path)) {
    signal.throwIfAborted()
    const all = Buffer.concat([rest, bytes])
    const window = all.toString('latin1')
    const { cuts, used, fault } = cut(window, isLast)
    let lineEnd = window.indexOf('\n')
    const placeAt = (at: number) => {
      for (; lineEnd >= 0 && lineEnd < at; lineEnd = window.indexOf('\n', lineEnd + 1)) {
        line++
        lineAt = offset + lineEnd + 1
      }
      return { line, column: offset + at - lineAt + 1 }
    }
    const isText = isAscii(all)
    const records = cuts.map(([start, end]) => ({
      line: placeAt(start).line,
      position: placeAt(start).column,
      offset: offset + start,
      length: end - start,
      text: isText ? window.slice(start, end) : all.toString('utf8', start, end),
    }))
    if (fault) throw inputError({ name, ...fault, ...placeAt(fault.at) })
    if (records.length > 0) yield records
    placeAt(used)
    rest = all.subarray(used)
    offset += used
    if (rest.length > MOST_RECORD_BYTES) throw tooLong(name, line)
  }
}

export function tooLong(name: string, line: number): Error {
  return inputError({
    ...{ name, line, what: `the record that starts here is longer than ${MOST_RECORD_BYTES} bytes` },
    hint: 'look for a quote or a bracket that is opened there and never closed; else shorten it',
  })
}

/** Where a part of a window starts and ends without the blanks around it. */
export function trimmed(window: string, from: number, to: number): readonly [start: number, end: number] {
  const part = window.slice(from, to)
  const start = to - part.trimStart().length
  return [start, start + part.trim().length]
}
