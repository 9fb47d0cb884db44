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
  return printList(await derivedContext(ctx), { pages: onePage(rows), columns, plural })
}

/** For printing what `--where` and `--limit` were already applied to. */
export async function derivedContext(ctx: Context): Promise<Context> {
  const { query } = await ctx.expr()
  return {
    ...ctx,
    flags: { ...ctx.flags, where: undefined, limit: undefined },
    expr: async () => ({ where: undefined, query, uses: () => [] }),
  }
}
