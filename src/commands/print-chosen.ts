import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { keepMatching } from './keep-matching.ts'
import { checkOf, chosenPages, printList } from './print.ts'
import { derivedContext } from './print-derived.ts'
import { printSorted, type SortableList } from './sorted-list.ts'
import { printSummary, type SummaryFlags } from './summary/print-summary.ts'
import { linkedReader, type WithFlag, withLinked } from './with-linked.ts'

type Keep = Parameters<typeof keepMatching>[1]

/** What is asked of a list beside `--where`. */
export interface ListChoice extends SummaryFlags, WithFlag {
  /** Applied to the records that match `--where`. */
  readonly keep?: Keep | undefined
}

/** Prints a list, or what its flags ask for instead. `--limit` counts the records that are kept. */
export async function printChosen(ctx: Context, list: SortableList, choice: ListChoice): Promise<undefined> {
  const { keep, sort, summary, with: words } = choice
  if (words !== undefined) {
    const { with: _, ...rest } = choice
    if (summary !== undefined)
      throw new CrmError(
        'usage',
        '--with does not apply to --summary, which groups by members of the records themselves',
        {
          hint: 'leave --with out',
        },
      )
    const linked = await linkedReader(ctx, list.resource, words)
    return printChosen(ctx, { ...list, pages: withLinked(list.pages, linked), cells: linked.cells }, rest)
  }
  if (keep) return printChosen(...(await kept(ctx, list, choice)))
  if (summary !== undefined) return printSummary(ctx, list, list.resource, choice)
  return sort === undefined ? printList(ctx, list) : printSorted(ctx, list, sort)
}

async function kept(
  ctx: Context,
  list: SortableList,
  { keep = async (records) => records, ...others }: ListChoice,
): Promise<Parameters<typeof printChosen>> {
  const { limit } = ctx.flags
  const check = await checkOf(ctx, list)
  const whole = { ...ctx, flags: { ...ctx.flags, limit: undefined } }
  const isCutLater = others.sort !== undefined || others.summary !== undefined
  const pages = keepMatching(await chosenPages(whole, list, check, false), keep, isCutLater ? undefined : limit)
  const derived = await derivedContext(ctx)
  // The records were seen when they were read, before some were left out.
  const checks = [{ see: () => {}, judge: () => check.judge() }]
  return [{ ...derived, flags: { ...derived.flags, limit } }, { ...list, pages, checks }, others]
}
