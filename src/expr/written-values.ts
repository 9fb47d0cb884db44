import type { Token } from './jq-tokens.ts'

/** The argument when it is a literal string or number; empty for any other. */
export function writtenAlone(words: readonly Token[]): readonly string[] {
  const [only] = words
  return words.length === 1 && only?.text !== undefined && isWritten(only) ? [only.text] : []
}

/** The literals of `["a", 0]`; undefined when any of them is computed. */
export function writtenList(words: readonly Token[]): readonly Token[] | undefined {
  const inner = words.slice(1, -1)
  const isPlain = inner.every((token, at) => (at % 2 === 1 ? isMark(token, ',') : isWritten(token)))
  if (!isMark(words[0], '[') || !isMark(words.at(-1), ']') || !isPlain) return undefined
  return inner.filter((_, at) => at % 2 === 0)
}

function isWritten({ kind, text }: Token): boolean {
  return kind === 'number' || (kind === 'text' && text !== undefined)
}

function isMark(token: Token | undefined, mark: string): boolean {
  return token?.kind === 'mark' && token.text === mark
}
