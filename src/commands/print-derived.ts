import type { Page } from '../api/operations.ts'
import type { Context } from '../context.ts'
import type { CrmRecord } from '../core/resources/registry.ts'
import { onePage, printList } from './print.ts'

export interface DerivedRows {
  readonly rows: Iterable<CrmRecord>
  readonly columns: readonly string[]
  /** For the note that there are none. */
  readonly plural: string
}

/** Prints rows that were made of a list: `--where` was applied to its records, and `--jq` sees the rows. */
export async function printDerived(ctx: Context, { rows, columns, plural }: DerivedRows): Promise<undefined> {
  // The columns of a table are as wide as all of its rows need.
  const pages = ctx.flags.output === 'table' ? onePage([...rows]) : inPages(rows)
  return printList(await derivedContext(ctx), { pages, columns, plural })
}

const PAGE_ROWS = 500

/** Rows that are made while they are printed are never held all at once. */
async function* inPages(rows: Iterable<CrmRecord>): AsyncGenerator<Page> {
  let items: CrmRecord[] = []
  for (const row of rows) {
    items.push(row)
    if (items.length < PAGE_ROWS) continue
    yield { items, nextCursor: undefined }
    items = []
  }
  yield { items, nextCursor: undefined }
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
