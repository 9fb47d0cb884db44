import { namesThatMayBeAbsent } from './absent-names.ts'
import type { Sight } from './jq-calls.ts'
import { jqTokens, UnreadJq } from './jq-tokens.ts'
import { type PathUse, ProgramReader } from './program-reader.ts'

export type { PathUse } from './program-reader.ts'

export interface ProgramPaths {
  /** Without those that `has("name")` or `"name" | in(…)` says may be absent. */
  readonly uses: readonly PathUse[]
  /** Times that `older_than` is given as they stand. */
  readonly durations: readonly string[]
}

/**
 * The members that a program provably takes from the record, where it sees a record or a list of them. What came out of
 * anything that makes another value is not followed: nothing is said of it. A program that these rules cannot read uses
 * none.
 */
export function recordPaths(program: string, sees: 'record' | 'list'): ProgramPaths {
  try {
    const record: Sight = { place: [] }
    const tokens = jqTokens(program)
    const reader = new ProgramReader(tokens)
    reader.program(sees === 'list' ? { list: record } : record)
    const mayBeAbsent = namesThatMayBeAbsent(tokens)
    const isSaid = ({ path, start }: PathUse) =>
      !reader.unclear.has(start) && !path.some((name) => mayBeAbsent.has(name))
    return { uses: reader.uses.filter(isSaid), durations: reader.durations }
  } catch (error) {
    if (!(error instanceof UnreadJq)) throw error
    return { uses: [], durations: [] }
  }
}
