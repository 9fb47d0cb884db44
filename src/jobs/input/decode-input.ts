import { isUtf8 } from 'node:buffer'
import { open, rename } from 'node:fs/promises'
import type { CrmError } from '../../core/errors.ts'
import { inputError, readChunks, readHead } from './input-file.ts'
import type { TextEncoding } from './row.ts'

export interface EncodedInput {
  /** A copy, which is replaced by its text in UTF-8. */
  readonly path: string
  readonly name: string
  /** `--encoding`. */
  readonly asked: string | undefined
}

const BOMS: readonly (readonly [string, Buffer])[] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
]
const HEAD_BYTES = 4096

/**
 * Decodes an input before anything reads it. Without a byte order mark: UTF-16 if every other byte at the beginning is 0, else UTF-8.
 * Any 8-bit encoding would give other letters for the same bytes, so that a guess imports wrong names without an error: such a file
 * needs `--encoding`. CrmError `invalid_input` with line and column of a byte that the encoding does not have.
 */
export async function decodeInput(input: EncodedInput): Promise<TextEncoding> {
  const { path, name, asked } = input
  const head = await readHead(path, HEAD_BYTES)
  refuseArchive(head, name)
  const [marked] = BOMS.find(([, mark]) => head.subarray(0, mark.length).equals(mark)) ?? []
  refuseOtherMark(name, asked, marked)
  const encoding = asked ?? marked ?? utf16Of(head) ?? 'utf-8'
  const found = { encoding, hasBom: marked !== undefined, repaired: 0 }
  if (encoding === 'mixed') return { ...found, repaired: await decodeMixed(input) }
  const texts = decoded(input, encoding)
  if (encoding !== 'utf-8' || found.hasBom) await rewrite(path, texts)
  // A copy of the same bytes would only take time.
  else for await (const _ of texts);
  return found
}

async function rewrite(path: string, texts: AsyncIterable<string>): Promise<void> {
  const temporary = `${path}.utf-8`
  await using file = await open(temporary, 'wx', 0o600)
  for await (const text of texts) await file.appendFile(text)
  await rename(temporary, path)
}

/** C1 controls, which Windows encodings have no letters for. */
const CONTROL = /[\x80-\x9f]/

async function* decoded(input: EncodedInput, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const isWindows = encoding.startsWith('windows-')
  for await (const { bytes, isLast } of readChunks(input.path, 0)) {
    try {
      const text = decoder.decode(bytes, { stream: !isLast })
      if (isWindows && CONTROL.test(text)) throw new TypeError('a byte without a character')
      yield text
    } catch (cause) {
      throw cause instanceof TypeError ? await faultIn(input, encoding, cause) : cause
    }
  }
}

/** Reads the input again, to the first character that the decoder has to replace. */
async function faultIn(input: EncodedInput, encoding: string, cause: unknown): Promise<CrmError> {
  if (encoding === 'utf-8') return faultInUtf8(input, cause)
  const { path, name } = input
  const decoder = new TextDecoder(encoding)
  const wrong = encoding.startsWith('windows-') ? CONTROL : /\ufffd/
  let [line, column] = [1, 1]
  for await (const { bytes, isLast } of readChunks(path, 0)) {
    const text = decoder.decode(bytes, { stream: !isLast })
    const at = text.search(wrong)
    const lines = text.slice(0, at < 0 ? text.length : at).split('\n')
    line += lines.length - 1
    column = (lines.length === 1 ? column : 1) + (lines.at(-1) ?? '').length
    if (at >= 0) break
  }
  const what = `bytes from here on that are not ${encoding}`
  return inputError({
    name,
    line,
    column,
    what,
    hint: 'leave out --encoding to see how other encodings read it',
    cause,
  })
}

/** The longest part of a line that is held. */
const MOST_LINE_BYTES = 1024 * 1024
const LINE_FEED = 0x0a

/** The lines of a file with their line feeds; a longer one in parts. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const { bytes } of readChunks(path, 0)) {
    const all = Buffer.concat([rest, bytes])
    let start = 0
    for (let end = all.indexOf(LINE_FEED) + 1; end > 0; end = all.indexOf(LINE_FEED, start) + 1) {
      yield all.subarray(start, end)
      start = end
    }
    rest = all.subarray(start)
    if (rest.length < MOST_LINE_BYTES) continue
    yield rest
    rest = Buffer.alloc(0)
  }
  if (rest.length > 0) yield rest
}

/** Two bytes or more that UTF-8 encodes one character with; in Windows-1252 such a sequence is very rare. */
const UTF8_SEQUENCE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/

const windows = new TextDecoder('windows-1252')

/** Undefined for a line with characters of both encodings, or of none. */
function windowsText(line: Buffer): string | undefined {
  const text = windows.decode(line)
  return CONTROL.test(text) || UTF8_SEQUENCE.test(line.toString('latin1')) ? undefined : text
}

/** Returns the number of lines that are Windows-1252. */
async function decodeMixed({ path, name }: EncodedInput): Promise<number> {
  const [repaired, refused] = [new Lines(), new Lines()]
  await rewrite(path, mixedTexts(path, repaired, refused))
  const [line] = refused.first
  if (line === undefined) return repaired.count
  const what = 'bytes that are neither all UTF-8 nor all Windows-1252'
  const others = refused.count === 1 ? '' : `; the lines are ${refused.text()}`
  throw inputError({ name, line, what, hint: `correct the line in one encoding${others}` })
}

async function* mixedTexts(path: string, repaired: Lines, refused: Lines): AsyncGenerator<string> {
  let [number, text] = [0, '']
  for await (const line of linesOf(path)) {
    number++
    const own = isUtf8(line) ? line.toString() : windowsText(line)
    if (own === undefined) refused.add(number)
    else if (!isUtf8(line)) repaired.add(number)
    text += number === 1 ? own?.replace('\ufeff', '') : own
    if (text.length < MOST_COMPARED) continue
    yield text
    text = ''
  }
  yield text
}

/** Line numbers, of which the first ones are named. */
class Lines {
  readonly first: number[] = []
  count = 0

  add(line: number): void {
    if (this.count++ < MOST_NAMED) this.first.push(line)
  }

  text(): string {
    return `${this.first.join(', ')}${this.count > this.first.length ? ' …' : ''}`
  }
}

/** The number of lines that are named, and the bytes of them that are compared with other encodings. */
const MOST_NAMED = 5
const MOST_COMPARED = 32 * 1024

/** Names the lines that are not UTF-8 in a file that otherwise is; else how the likeliest encodings read the first of them. */
async function faultInUtf8({ path, name, asked }: EncodedInput, cause: unknown): Promise<CrmError> {
  const { hasUtf8, bad, column, start } = await linesNotUtf8(path)
  const { readingsOf } = await import('./likely-encodings.ts')
  const more = hasUtf8 ? ', although other characters are' : ', and nothing states the encoding of the file'
  const readings = hasUtf8 ? [linesHint(bad)] : readingsOf(start)
  const hint = readings.join('; ') || 'name its encoding: --encoding windows-1250, or another one'
  const what = `a byte that is not UTF-8${asked === undefined ? more : ''}`
  return inputError({ name, line: bad.first[0] ?? 1, column, what, hint, cause })
}

async function linesNotUtf8(path: string) {
  const bad = new Lines()
  let [number, column, hasUtf8, start] = [0, 0, false, Buffer.alloc(0)]
  for await (const line of linesOf(path)) {
    number++
    hasUtf8 ||= UTF8_SEQUENCE.test(line.toString('latin1'))
    if (isUtf8(line)) continue
    if (bad.count === 0) column = line.toString().indexOf('\ufffd') + 1
    bad.add(number)
    if (start.length < MOST_COMPARED) start = Buffer.concat([start, line])
  }
  return { hasUtf8, bad, column, start }
}

function linesHint(bad: Lines): string {
  const lines = `${bad.count === 1 ? '1 line is' : `${bad.count} lines are`} not UTF-8: ${bad.text()}`
  return `${lines}; --encoding mixed reads ${bad.count === 1 ? 'it' : 'them'} as Windows-1252, and the other lines as UTF-8`
}

/** In UTF-16, nearly all upper bytes of text in a Latin script are 0. */
function utf16Of(head: Buffer): string | undefined {
  const zeros = [0, 0]
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const most = head.length / 2
  if (odd > most * 0.4 && even < most * 0.05) return 'utf-16le'
  return even > most * 0.4 && odd < most * 0.05 ? 'utf-16be' : undefined
}

/** The mark states the encoding; any other would read it as part of the first column name, and every accent wrong. */
function refuseOtherMark(name: string, asked: string | undefined, marked: string | undefined): void {
  if (asked === undefined || marked === undefined || asked === marked) return
  if (asked === 'mixed' && marked === 'utf-8') return
  const what = `it begins with the byte order mark of ${marked}, which --encoding ${asked} contradicts`
  throw inputError({ name, line: 1, what, hint: 'leave out --encoding: the mark states the encoding' })
}

/** Refuses files of spreadsheets and compressed files. */
function refuseArchive(head: Buffer, name: string): void {
  const magic = head.toString('latin1', 0, 4)
  const refuse = (what: string, hint: string): never => {
    throw inputError({ name, line: 1, what, hint })
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
