import type { MemberUse } from '../core/members-read.ts'
import { createExpression, type Query } from './expression.ts'
import { loadJq } from './jq.ts'
import type { PathUse } from './path-uses.ts'
import { openWhere, type Where, type WhereErrors } from './where.ts'

export interface ExpressionTexts {
  readonly where: string | undefined
  readonly jq: string | undefined
  readonly whereErrors: WhereErrors
}

/** The expressions of a command line, compiled. */
export interface Expressions {
  readonly where: Where | undefined
  readonly query: Query | undefined
  /** The members that they read from records. The input of `--jq` is each record, the list of all, or neither. */
  uses(jqSees: 'record' | 'list' | 'none'): readonly MemberUse[]
}

export interface ExpressionWorld {
  /** Gets the output of `debug`. */
  readonly say: (line: string) => void
  readonly nowMs: number
}

/** CrmError `usage` for a text that is not a jq expression. */
export async function compileExpressions(texts: ExpressionTexts, world: ExpressionWorld): Promise<Expressions> {
  const jq = await loadJq()
  const where = await createExpression(jq, { ...world, flag: '--where', text: texts.where })
  const query = await createExpression(jq, { ...world, flag: '--jq', text: texts.jq })
  return {
    where: where && openWhere(where, texts.whereErrors),
    query,
    uses: (jqSees) => [
      ...memberUses('--where', where?.uses('record')),
      ...memberUses('--jq', jqSees === 'none' ? [] : query?.uses(jqSees)),
    ],
  }
}

/** `flag` as typed, such as `--compute total`. */
export function memberUses(flag: string, uses: readonly PathUse[] = []): readonly MemberUse[] {
  return uses.map(({ path }) => {
    const ifMeant = `has(${JSON.stringify(path.at(-1))}) in the expression states that it may be absent`
    return { flag, path, ifMeant }
  })
}
