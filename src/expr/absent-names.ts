import type { Token } from './jq-tokens.ts'

/** The names that a program itself asks for, wherever it does: in `has("name")` and in `"name" | in(…)`. */
export function namesThatMayBeAbsent(tokens: readonly Token[]): ReadonlySet<string> {
  const names = tokens.flatMap(({ kind, text, inner }, at) => {
    const parts = inner.flatMap((part) => [...namesThatMayBeAbsent(part)])
    const isAsked = isWord(tokens, at - 2, 'has', '(') || isWord(tokens, at + 1, '|', 'in')
    return kind === 'text' && text !== undefined && isAsked ? [text, ...parts] : parts
  })
  return new Set(names)
}

function isWord(tokens: readonly Token[], at: number, ...words: readonly string[]): boolean {
  return words.every((word, ahead) => {
    const { kind, text } = tokens[at + ahead] ?? {}
    return (kind === 'name' || kind === 'mark') && text === word
  })
}
