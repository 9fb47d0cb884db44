import type { CrmRecord } from '../core/resources.ts'
import { createExpression, type Query } from './expression.ts'
import { loadJq } from './jq.ts'

export interface ExpressionTexts {
  readonly where: string | undefined
  readonly jq: string | undefined
}

/** The expressions of a command line, compiled. */
export interface Expressions {
  /** Those for which `--where` gives anything but false, null or nothing. */
  readonly keep: ((records: readonly CrmRecord[]) => Promise<readonly CrmRecord[]>) | undefined
  readonly query: Query | undefined
}

/** CrmError `usage` for what is no jq expression; `debug` in an expression speaks to `say`. */
export async function compileExpressions(texts: ExpressionTexts, say: (line: string) => void): Promise<Expressions> {
  const jq = await loadJq()
  const where = await createExpression(jq, { flag: '--where', text: texts.where, say })
  const query = await createExpression(jq, { flag: '--jq', text: texts.jq, say })
  return {
    keep: where && (async (records) => keepTrue(records, await where.each(records))),
    query,
  }
}

function keepTrue(records: readonly CrmRecord[], results: Awaited<ReturnType<Query['each']>>): readonly CrmRecord[] {
  return records.filter((_, at) => results[at]?.some((result) => result !== false && result !== null))
}
