import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'

/**
 * The lines of a text that ends them with LF, or CR LF. node:readline also ends a line at U+2028 and U+2029, which JSON texts may
 * contain. Rejects with the error of the stream.
 */
export async function* linesOf(input: string | AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const stream = typeof input === 'string' ? createReadStream(input) : Readable.from(input, { objectMode: false })
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield withoutReturn(line)
  }
  if (rest !== '') yield withoutReturn(rest)
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
