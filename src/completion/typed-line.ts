/** What bash and readline make of a line up to the cursor. */
export interface TypedLine {
  /** Without their quotes; the last one is under the cursor. */
  readonly words: readonly string[]
  /** The quote that is open at the cursor. */
  readonly quote: '"' | "'" | ''
  /** How many characters of the last word, as in `words`, readline keeps: it puts its own in behind them. */
  readonly keptLength: number
}

/** A quoted part, which need not have ended; an escaped character; plain ones; blanks. */
const PART = /'([^']*)('?)|"((?:[^"\\]|\\.)*\\?)("?)|\\(.?)|([^\s'"\\]+)|\s+/gs

/**
 * As a shell would split it, without doing anything else that a shell does: a variable or a `$(…)` that was typed stays the
 * text it is. `breaks` are the characters at which readline begins a word (COMP_WORDBREAKS), besides an open quote.
 */
export function parseTypedLine(line: string, breaks: string): TypedLine {
  const words: string[] = []
  let word = ''
  let quote: TypedLine['quote'] = ''
  let keptLength = 0
  for (const [, single, singleEnd, double, doubleEnd, escaped, plain] of line.trimStart().matchAll(PART)) {
    const text = single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain
    if (text === undefined) {
      words.push(word)
      word = ''
      keptLength = 0
      continue
    }
    if (singleEnd === '') quote = "'"
    if (doubleEnd === '') quote = '"'
    const broken = plain === undefined ? 0 : lastBreak(plain, breaks)
    if (quote !== '' || broken > 0) keptLength = word.length + broken
    word += text
  }
  return { words: [...words, word], quote, keptLength }
}

/** Up to and with the last break in it; 0 for none. */
function lastBreak(plain: string, breaks: string): number {
  return [...breaks].reduce((kept, char) => Math.max(kept, plain.lastIndexOf(char) + 1), 0)
}
