import type { Context } from '../../context.ts'
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  decimalJson,
  decimalOf,
  shareOf,
  ZERO,
} from '../../core/decimal.ts'
import type { JsonValue } from '../../core/json.ts'
import { cellText } from '../../output/safe-text.ts'
import { barText } from '../../output/terminal-text.ts'
import type { ListPage } from '../keep-matching.ts'
import { allOf, createMemberCheck } from '../member-check.ts'
import { chosenPages, type List, onePage, printList } from '../print.ts'

const BAR_WIDTH = 24

interface Group {
  readonly value: JsonValue
  count: number
  amount: Decimal
}

/** The number of deals and the sum of their amounts for each value of a member; tables have a bar as well. */
export async function printSummary(ctx: Context, list: List, member: string): Promise<undefined> {
  const { flags } = ctx
  const { query, uses } = await ctx.expr()
  const members = createMemberCheck(ctx, 'deal', [...uses('none'), { flag: '--summary', path: [member] }])
  const check = allOf([members, ...(list.checks ?? [])])
  const { groups, unsummed } = await groupBy(await chosenPages(ctx, list, check), member)
  const most = groups[0]?.amount ?? ZERO
  const rows = groups.map(({ value, count, amount }) => {
    const bar = flags.output === 'table' ? { bar: barText(shareOf(amount, most), BAR_WIDTH) } : {}
    return { [member]: value, count, amount: decimalJson(amount), ...bar }
  })
  if (unsummed > 0)
    ctx.note(
      `Not summed: ${unsummed} ${unsummed === 1 ? 'amount that is not a number' : 'amounts that are not numbers'}.`,
    )
  // `--where` and `--limit` apply to the deals, not to their groups.
  const summaryCtx = {
    ...ctx,
    flags: { ...flags, where: undefined, limit: undefined },
    expr: async () => ({ where: undefined, query, uses: () => [] }),
  }
  await printList(summaryCtx, {
    pages: onePage(rows),
    columns: [member, 'count', 'amount', ...(flags.output === 'table' ? ['bar'] : [])],
    plural: 'deals',
  })
  await check.judge()
}

/** The largest sum first. */
async function groupBy(
  pages: AsyncIterable<ListPage>,
  member: string,
): Promise<{ readonly groups: readonly Group[]; readonly unsummed: number }> {
  const groups = new Map<string, Group>()
  let unsummed = 0
  for await (const { items } of pages) {
    for (const deal of items) {
      const value = deal[member] ?? null
      const name = cellText(value)
      const group = groups.get(name) ?? { value, count: 0, amount: ZERO }
      groups.set(name, group)
      group.count++
      const amount = decimalOf(deal.amount)
      if (amount) group.amount = addDecimals(group.amount, amount)
      else if (deal.amount !== undefined && deal.amount !== null) unsummed++
    }
  }
  return { groups: [...groups.values()].toSorted((one, other) => compareDecimals(other.amount, one.amount)), unsummed }
}
