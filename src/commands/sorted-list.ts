import type { Command } from 'commander'
import type { Page } from '../api/operations.ts'
import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import type { ListedResource, Resource } from '../core/resources/registry.ts'
import { temporaryFolder } from '../core/streams.ts'
import type { SortMember } from '../sorting/record-order.ts'
import { withFlag, withoutFlags } from './command-line.ts'
import { allOf, createMemberCheck } from './member-check.ts'
import { checkOf, chosenPages, itemsOf, judged, type List, printList } from './print.ts'
import { derivedContext } from './print-derived.ts'

export interface SortFlag {
  readonly sort?: string
}

export const SORT_HELP = 'by these members; - before one: the largest first, as in -amount,name'

/** For lists that have no summary, which has the flag for its columns as well. */
export function addSortFlag(command: object): void {
  ;(command as Command).option('--sort <members>', SORT_HELP)
}

export type SortableList<R extends Resource = ListedResource> = List & { readonly resource: R }

/**
 * Prints a list in another order than that of the server. All its records are read first, so that nothing is printed if its end
 * is unknown, or a member misspelt; `--limit` then prints the first ones.
 */
export async function printSorted(ctx: Context, list: SortableList<Resource>, sort: string): Promise<undefined> {
  if (list.cursor !== undefined) {
    throw new CrmError('usage', '--sort needs the whole list, and --cursor continues a part of it', {
      hint: withoutFlags(ctx.argv, '--cursor'),
    })
  }
  const { parseSort } = await import('../sorting/record-order.ts')
  const members = parseSort(sort, list.resource)
  const check = allOf([createMemberCheck(ctx, list.resource, members.map(useOf)), await checkOf(ctx, list)])
  const whole = { ...ctx, flags: { ...ctx.flags, limit: undefined } }
  const pages = itemsOf(judged(await chosenPages(whole, list, check, false), check))
  const { sortRecords } = await import('../sorting/sort-records.ts')
  const { limit } = ctx.flags
  const sorted = await sortRecords(pages, { members, limit, folder: temporaryFolder(ctx.env) })
  const { cursor: _, checks: __, ...printed } = list
  await printList(await derivedContext(ctx), { ...printed, pages: listPages(sorted.pages) })
  if (limit !== undefined && sorted.count > limit) {
    ctx.note(`The first ${limit} of ${sorted.count}: ${withFlag(ctx.argv, '--limit', String(2 * limit))}`)
  }
}

/** The fields of the resource may be absent in all records. */
function useOf({ path, type }: SortMember) {
  return { flag: '--sort', path, isDotted: true, mayBeAbsent: type !== undefined }
}

async function* listPages(pages: AsyncIterable<Page['items']>): AsyncGenerator<Page> {
  for await (const items of pages) yield { items, nextCursor: undefined }
}
