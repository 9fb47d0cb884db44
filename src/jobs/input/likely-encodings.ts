/** Encodings of 8 bits, and of East Asia, of which the bytes of a file say nothing; the names of https://encoding.spec.whatwg.org. */
const LIKELY = [
  ...['windows-1252', 'windows-1250', 'windows-1251', 'iso-8859-2', 'windows-1253', 'windows-1254', 'windows-1257'],
  ...['macintosh', 'koi8-r', 'ibm866', 'shift_jis', 'gb18030', 'euc-kr', 'big5'],
]

const SHOWN_CHARS = 40
const MOST_READINGS = 3

/** How the likeliest encodings read the first cell that is not ASCII, the likeliest first; empty if none can read these lines. */
export function readingsOf(lines: Buffer): readonly string[] {
  const odd = wordsAround(
    lines,
    lines.findIndex((byte) => byte >= 0x80),
  )
  const readings = LIKELY.flatMap((encoding, rank) => {
    const whole = textIn(lines, encoding)
    const text = textIn(odd, encoding)
    return whole === undefined || text === undefined ? [] : [{ encoding, text, score: likelihood(whole) - rank / 100 }]
  })
  const seen = new Set<string>()
  return readings
    .toSorted((one, other) => other.score - one.score)
    .filter(({ text }) => !seen.has(text) && seen.add(text))
    .slice(0, MOST_READINGS)
    .map(({ encoding, text }) => `--encoding ${encoding} reads ${JSON.stringify(text.slice(0, SHOWN_CHARS))}`)
}

function textIn(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    // The bytes may end within a character.
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}

/** The cell of the byte, in which nearly all encodings have the same delimiters. */
function wordsAround(bytes: Buffer, at: number): Buffer {
  const isEnd = (byte = 0x0a) => [0x0a, 0x0d, 0x09, 0x22, 0x2c, 0x3b, 0x7c].includes(byte)
  let [from, to] = [at, at]
  while (from > 0 && !isEnd(bytes[from - 1])) from -= 1
  while (to < bytes.length && !isEnd(bytes[to])) to += 1
  return bytes.subarray(from, to)
}

/** From -2 to 1: letters are likely, signs are not, nor letters of two scripts or a small one before a capital in one word. */
function likelihood(text: string): number {
  let [sum, count] = [0, 0]
  for (const match of text.matchAll(/[^\p{ASCII}]/gu)) {
    const [char] = match
    const before = text.slice(Math.max(0, match.index - 1), match.index)
    const after = text.slice(match.index + char.length, match.index + char.length + 1)
    count += 1
    if (!/\p{L}/u.test(char)) sum -= 2
    else if (!/\p{Script=Latin}/u.test(char) && /[A-Za-z]/.test(before + after)) sum -= 2
    else if (/\p{Lu}/u.test(char) && /\p{Ll}/u.test(before)) sum -= 1
    else sum += 1
  }
  return count === 0 ? 0 : sum / count
}
