import { jqTokens, type Token, UnreadJq } from './jq-tokens.ts'
import type { OrderedComparison } from './ordered-comparisons.ts'
import type { Input, PathUse } from './path-uses.ts'
import { ProgramReader } from './program-reader.ts'

export interface ProgramPaths {
  /** Without the members that `has("name")` or `"name" | in(…)` marks as optional. */
  readonly uses: readonly PathUse[]
  /** Literal arguments of `older_than`. */
  readonly durations: readonly string[]
  /** Comparisons by order of a member with a literal. */
  readonly comparisons: readonly OrderedComparison[]
}

/**
 * The members that a program provably reads from the record, when its input is a record or a list of records. Results of
 * functions and operators are not followed. A program that cannot be parsed has no uses.
 */
export function recordPaths(program: string, sees: 'record' | 'list'): ProgramPaths {
  try {
    const record: Input = { place: [] }
    const tokens = jqTokens(program)
    const reader = new ProgramReader(tokens)
    reader.program(sees === 'list' ? { list: record } : record)
    const mayBeAbsent = namesThatMayBeAbsent(tokens)
    const uses = reader.uses.proven().filter(({ path }) => !path.some((name) => mayBeAbsent.has(name)))
    return { uses, durations: reader.durations, comparisons: reader.comparisons.proven() }
  } catch (error) {
    if (!(error instanceof UnreadJq)) throw error
    return { uses: [], durations: [], comparisons: [] }
  }
}

/** The names in `has("name")` and `"name" | in(…)`, anywhere in the program. */
function namesThatMayBeAbsent(tokens: readonly Token[]): ReadonlySet<string> {
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
