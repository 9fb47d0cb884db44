import { isUtf8 } from 'node:buffer'
import { rename, writeFile } from 'node:fs/promises'
import type { CrmError } from '../../core/errors.ts'
import { inputError, readChunks, readHead } from './input-file.ts'
import { readingsOf } from './likely-encodings.ts'
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

/** What begins with these bytes is no text. */
const OTHERS: readonly (readonly [magic: string, what: string, hint: string])[] = [
  ['PK\x03\x04', 'a spreadsheet or a zip archive, expected text', 'a workbook is read as xlsx: leave out --format'],
  [
    '\xd0\xcf\x11\xe0',
    'a spreadsheet in the format before xlsx (xls), or one with a password, expected xlsx or text',
    'save it as xlsx without a password, or as CSV UTF-8, and import that',
  ],
  ['\x1f\x8b', 'compressed with gzip, expected text', 'pipe it in: gzip -dc FILE | … -'],
]

/**
 * Decodes an input before anything reads it. Without a byte order mark: UTF-16 if every other byte at the beginning is 0, else UTF-8.
 * Any 8-bit encoding would give other letters for the same bytes, so that a guess imports wrong names without an error: such a file
 * needs `--encoding`. CrmError `invalid_input` with line and column of a byte that the encoding does not have.
 */
export async function decodeInput(input: EncodedInput): Promise<TextEncoding> {
  const { path, name, asked } = input
  const head = await readHead(path, HEAD_BYTES)
  for (const [magic, what, hint] of OTHERS) {
    if (head.toString('latin1').startsWith(magic)) throw inputError({ name, line: 1, what, hint })
  }
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

/** In UTF-16, nearly all upper bytes of text in a Latin script are 0. */
function utf16Of(head: Buffer): string | undefined {
  const zeros = (parity: number) =>
    head.filter((byte, at) => byte === 0 && at % 2 === parity).length / (head.length / 2)
  const [even, odd] = [zeros(0), zeros(1)]
  if (odd > 0.4 && even < 0.05) return 'utf-16le'
  return even > 0.4 && odd < 0.05 ? 'utf-16be' : undefined
}

/** The mark states the encoding; any other would read it as part of the first column name, and every accent wrong. */
function refuseOtherMark(name: string, asked: string | undefined, marked: string | undefined): void {
  if (asked === undefined || marked === undefined || asked === marked) return
  if (asked === 'mixed' && marked === 'utf-8') return
  const what = `it begins with the byte order mark of ${marked}, which --encoding ${asked} contradicts`
  throw inputError({ name, line: 1, what, hint: 'leave out --encoding: the mark states the encoding' })
}

async function rewrite(path: string, texts: AsyncIterable<string>): Promise<void> {
  const temporary = `${path}.utf-8`
  await writeFile(temporary, texts, { flag: 'wx', mode: 0o600 })
  await rename(temporary, path)
}

/** C1 controls, which Windows encodings have no letters for. */
const CONTROL = /[\x80-\x9f]/

async function* decoded(input: EncodedInput, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const isWindows = encoding.startsWith('windows-')
  for await (const { bytes, isLast } of readChunks(input.path)) {
    try {
      const text = decoder.decode(bytes, { stream: !isLast })
      if (isWindows && CONTROL.test(text)) throw new TypeError('a byte without a character')
      yield text
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause
      throw encoding === 'utf-8' ? await faultInUtf8(input, cause) : await faultIn(input, encoding, cause)
    }
  }
}

/** Reads the input again, to the first character that the decoder has to replace. */
async function faultIn({ path, name }: EncodedInput, encoding: string, cause: unknown): Promise<CrmError> {
  const decoder = new TextDecoder(encoding)
  const wrong = encoding.startsWith('windows-') ? CONTROL : /\ufffd/
  let [line, column] = [1, 1]
  for await (const { bytes, isLast } of readChunks(path)) {
    const text = decoder.decode(bytes, { stream: !isLast })
    const at = text.search(wrong)
    const lines = text.slice(0, at < 0 ? text.length : at).split('\n')
    line += lines.length - 1
    column = (lines.length === 1 ? column : 1) + (lines.at(-1) ?? '').length
    if (at >= 0) break
  }
  const what = `bytes from here on that are not ${encoding}`
  const hint = 'leave out --encoding to see how other encodings read it'
  return inputError({ name, line, column, what, hint, cause })
}

/** The longest part of a line that is held. */
const MOST_LINE_BYTES = 1024 * 1024

/** The lines of a file with their line feeds; a longer one in parts. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const { bytes, isLast } of readChunks(path)) {
    const all = Buffer.concat([rest, bytes])
    let start = 0
    for (let end = all.indexOf('\n') + 1; end > 0; end = all.indexOf('\n', start) + 1) {
      yield all.subarray(start, end)
      start = end
    }
    rest = all.subarray(start)
    if (rest.length === 0 || (!isLast && rest.length < MOST_LINE_BYTES)) continue
    yield rest
    rest = Buffer.alloc(0)
  }
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
  const lines = { repaired: 0, refused: [] as number[] }
  await rewrite(path, mixedTexts(path, lines))
  const [line, ...others] = lines.refused
  if (line === undefined) return lines.repaired
  const what = 'bytes that are neither all UTF-8 nor all Windows-1252'
  const more = others.length === 0 ? '' : `; the lines are ${firstOf(lines.refused)}`
  throw inputError({ name, line, what, hint: `correct the line in one encoding${more}` })
}

async function* mixedTexts(path: string, lines: { repaired: number; refused: number[] }): AsyncGenerator<string> {
  let [number, text] = [0, '']
  for await (const line of linesOf(path)) {
    number++
    const own = isUtf8(line) ? line.toString() : windowsText(line)
    if (own === undefined) lines.refused.push(number)
    else if (!isUtf8(line)) lines.repaired++
    text += number === 1 ? own?.replace('\ufeff', '') : own
    if (text.length < MOST_COMPARED) continue
    yield text
    text = ''
  }
  yield text
}

/** The number of lines that are named, and the bytes of them that are compared with other encodings. */
const MOST_NAMED = 5
const MOST_COMPARED = 32 * 1024

function firstOf(lines: readonly number[]): string {
  return `${lines.slice(0, MOST_NAMED).join(', ')}${lines.length > MOST_NAMED ? ' …' : ''}`
}

/** Names the lines that are not UTF-8 in a file that otherwise is; else how the likeliest encodings read the first of them. */
async function faultInUtf8({ path, name, asked }: EncodedInput, cause: unknown): Promise<CrmError> {
  const bad: number[] = []
  let [number, column, hasUtf8, start] = [0, 0, false, Buffer.alloc(0)]
  for await (const line of linesOf(path)) {
    number++
    hasUtf8 ||= UTF8_SEQUENCE.test(line.toString('latin1'))
    if (isUtf8(line)) continue
    if (bad.length === 0) column = line.toString().indexOf('\ufffd') + 1
    bad.push(number)
    if (start.length < MOST_COMPARED) start = Buffer.concat([start, line])
  }
  const more = hasUtf8 ? ', although other characters are' : ', and nothing states the encoding of the file'
  const hint = hasUtf8 ? linesHint(bad) : readingsOf(start).join('; ')
  const what = `a byte that is not UTF-8${asked === undefined ? more : ''}`
  const other = 'name its encoding: --encoding windows-1250, or another one'
  return inputError({ name, line: bad[0] ?? 1, column, what, hint: hint || other, cause })
}

function linesHint(bad: readonly number[]): string {
  const [are, them] = bad.length === 1 ? ['1 line is', 'it'] : [`${bad.length} lines are`, 'them']
  const read = `--encoding mixed reads ${them} as Windows-1252, and the other lines as UTF-8`
  return `${are} not UTF-8: ${firstOf(bad)}; ${read}`
}
