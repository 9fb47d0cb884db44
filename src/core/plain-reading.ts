/** A range of a text; the end is exclusive. */
export type Span = readonly [start: number, end: number]

/** A text with its escapes decoded. */
export interface PlainReading {
  /** ASCII only: `\ufffd` replaces any other character, and one space any kind of space. */
  readonly plain: string
  /** The range in the text of the character at this index. */
  spanAt(index: number): Span
}

/**
 * Sequences that stand for another character, or for none: escapes of JSON (nested, too), of URLs and of HTML, tags without
 * attributes, and characters that Unicode draws as nothing. Their length is limited, because a hostile text can make the
 * search start at each of its characters.
 */
const ESCAPES = new RegExp(
  String.raw`(?=[\\%&<]|[^\x20-\x7e])(?:${[
    String.raw`\\{1,8}u([\da-f]{4})`,
    String.raw`\\{1,8}u\{([\da-f]{1,6})\}`,
    String.raw`\\{1,8}x([\da-f]{2})`,
    String.raw`\\{1,8}([bfnrt"/])`,
    '%([0-9a-f]{2})',
    '&#0{0,5}([0-9]{1,7});?',
    '&#x0{0,5}([0-9a-f]{1,6});?',
    '&(amp|lt|gt|quot|apos);',
    String.raw`</?[a-z][a-z0-9]{0,9}\s{0,3}/?>`,
    String.raw`[^\x20-\x7e]`,
  ].join('|')})`,
  'giu',
)

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const SPACES: Readonly<Record<string, string>> = { b: '', f: ' ', n: ' ', r: ' ', t: ' ' }
const NOT_DRAWN = /^[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]$/u

/** `index` in the reading is `start` in the text: the first of a run of unchanged characters, or one that ends at `end`. */
interface Piece {
  readonly index: number
  readonly start: number
  readonly end: number | undefined
}

export function readPlainly(text: string): PlainReading {
  const pieces: Piece[] = []
  let plain = ''
  let done = 0
  const keep = (to: number) => {
    if (to === done) return
    pieces.push({ index: plain.length, start: done, end: undefined })
    plain += text.slice(done, to)
  }
  for (const found of text.matchAll(ESCAPES)) {
    keep(found.index)
    done = found.index + found[0].length
    const char = charOf(found)
    if (char === '') continue
    pieces.push({ index: plain.length, start: found.index, end: done })
    plain += char
  }
  keep(text.length)
  return {
    plain,
    spanAt: (index) => {
      const { index: first, start, end } = pieceAt(pieces, index)
      return end === undefined ? [start + index - first, start + index - first + 1] : [start, end]
    },
  }
}

/** The same without spaces: joins words that are broken over lines. */
export function withoutSpaces({ plain, spanAt }: PlainReading): PlainReading {
  const pieces: Piece[] = []
  let tight = ''
  for (const { index, 0: word } of plain.matchAll(/[^ ]+/g)) {
    pieces.push({ index: tight.length, start: index, end: undefined })
    tight += word
  }
  return {
    plain: tight,
    spanAt: (index) => {
      const { index: first, start } = pieceAt(pieces, index)
      return spanAt(start + index - first)
    },
  }
}

/** The last piece that begins at or before the index, by binary search: a hostile text has a piece for each character. */
function pieceAt(pieces: readonly Piece[], index: number): Piece {
  let [low, high] = [0, pieces.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((pieces[middle]?.index ?? 0) <= index) low = middle
    else high = middle - 1
  }
  return pieces[low] ?? { index: 0, start: 0, end: undefined }
}

function charOf([whole, unit, unicode, hex, letter, percent, decimal, entityHex, name]: RegExpExecArray): string {
  if (letter !== undefined) return SPACES[letter] ?? letter
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? ''
  const digits = unit ?? unicode ?? hex ?? percent ?? entityHex
  if (digits !== undefined) return shown(Number.parseInt(digits, 16))
  if (decimal !== undefined) return shown(Number(decimal))
  return whole.startsWith('<') ? '' : shown(whole.codePointAt(0) ?? 0)
}

function shown(code: number): string {
  const char = code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
  if (/^\s$/.test(char)) return ' '
  if (NOT_DRAWN.test(char)) return ''
  return code < 0x7f ? char : '\ufffd'
}
