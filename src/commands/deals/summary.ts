import type { Context } from '../../context.ts'
import type { JsonValue } from '../../core/json.ts'
import { barText } from '../../output/bar.ts'
import { cellText } from '../../output/cell-text.ts'
import { keepMatching, type ListPage } from '../keep-matching.ts'
import { onePage, printList } from '../print.ts'

const BAR_WIDTH = 24

interface Group {
  readonly value: JsonValue
  count: number
  amount: number
}

/** How many deals there are of each value of a member, and what their amounts come to; people see a bar beside them. */
export async function printSummary(ctx: Context, pages: AsyncIterable<ListPage>, member: string): Promise<undefined> {
  const { flags } = ctx
  const { keep, query } = await ctx.expr()
  const groups = await groupBy(keep ? keepMatching(pages, keep, flags.limit) : pages, member)
  const most = Math.max(0, ...groups.map(({ amount }) => amount))
  const rows = groups.map(({ value, count, amount }) => {
    const bar = flags.output === 'table' ? { bar: barText(most > 0 ? amount / most : 0, BAR_WIDTH) } : {}
    return { [member]: value, count, amount, ...bar }
  })
  // `--where` and `--limit` were about the deals, not about their groups.
  const summaryCtx = {
    ...ctx,
    flags: { ...flags, where: undefined, limit: undefined },
    expr: async () => ({ keep: undefined, query }),
  }
  return printList(summaryCtx, {
    pages: onePage(rows),
    columns: [member, 'count', 'amount', ...(flags.output === 'table' ? ['bar'] : [])],
    plural: 'deals',
  })
}

/** The largest sum first. */
async function groupBy(pages: AsyncIterable<ListPage>, member: string): Promise<readonly Group[]> {
  const groups = new Map<string, Group>()
  for await (const { items } of pages) {
    for (const deal of items) {
      const value = deal[member] ?? null
      const name = cellText(value)
      const group = groups.get(name) ?? { value, count: 0, amount: 0 }
      groups.set(name, group)
      group.count++
      if (typeof deal.amount === 'number') group.amount += deal.amount
    }
  }
  return [...groups.values()].toSorted((one, other) => other.amount - one.amount)
}
