import type { Context } from '../context.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { onePage, printList } from './print.ts'

export interface DerivedRows {
  readonly rows: readonly CrmRecord[]
  readonly columns: readonly string[]
  /** For the note that there are none. */
  readonly plural: string
}

/** Prints rows that were made of a list: `--where` was applied to its records, and `--jq` sees the rows. */
export async function printDerived(ctx: Context, { rows, columns, plural }: DerivedRows): Promise<undefined> {
  const { query } = await ctx.expr()
  const derived: Context = {
    ...ctx,
    flags: { ...ctx.flags, where: undefined, limit: undefined },
    expr: async () => ({ where: undefined, query, uses: () => [] }),
  }
  return printList(derived, { pages: onePage(rows), columns, plural })
}
