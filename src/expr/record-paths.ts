import { namesThatMayBeAbsent } from './absent-names.ts'
import type { Input } from './jq-calls.ts'
import { jqTokens, UnreadJq } from './jq-tokens.ts'
import type { PathUse } from './path-uses.ts'
import { ProgramReader } from './program-reader.ts'

export interface ProgramPaths {
  /** Without those that `has("name")` or `"name" | in(…)` marks as optional. */
  readonly uses: readonly PathUse[]
  /** Literal arguments of `older_than`. */
  readonly durations: readonly string[]
}

/**
 * The members that a program provably takes from the record, when its input is a record or a list of records. Values that
 * a function or an operator makes are not followed. A program that cannot be read has no uses.
 */
export function recordPaths(program: string, sees: 'record' | 'list'): ProgramPaths {
  try {
    const record: Input = { place: [] }
    const tokens = jqTokens(program)
    const reader = new ProgramReader(tokens)
    reader.program(sees === 'list' ? { list: record } : record)
    const mayBeAbsent = namesThatMayBeAbsent(tokens)
    const uses = reader.uses.proven().filter(({ path }) => !path.some((name) => mayBeAbsent.has(name)))
    return { uses, durations: reader.durations }
  } catch (error) {
    if (!(error instanceof UnreadJq)) throw error
    return { uses: [], durations: [] }
  }
}
