import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import type { Api } from '../../api/api.ts'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { examples } from '../command-tree.ts'
import { collect } from '../fields-input.ts'
import { createFilterCheck, createStageCheck } from '../filter-check.ts'
import { addScopedFlags, parseFilters } from '../flags.ts'
import { listOf, requestedLimit } from '../print.ts'
import { printChosen } from '../print-chosen.ts'
import type { SortableList } from '../sorted-list.ts'
import { addSummaryFlags, refuseWithoutSummary, type SummaryFlags } from '../summary/print-summary.ts'
import { addWithFlag, type WithFlag } from '../with-linked.ts'

export const FILTER_HELP = 'only deals that match this filter of the server (repeatable)'

interface Options extends SummaryFlags, WithFlag {
  readonly cursor?: string
  readonly filter?: readonly string[]
  readonly without?: 'notes'
}

export function addDealsList(deals: CommandUnknownOpts, act: Act): void {
  const list = deals
    .command('list')
    .description('list deals; crm serve lists the newest first')
    .option('--filter <key=value>', FILTER_HELP, collect)
    .addOption(new Option('--without <what>', 'only deals that have none; a request for each deal').choices(['notes']))
    .option('--cursor <cursor>', 'continue an earlier list')
    .addHelpText(
      'after',
      examples(
        'crm deals list --filter stage=Won',
        "crm deals list --filter 'amount[gte]=1000' -o json",
        'crm deals list --sort -amount,name --limit 20',
        'crm deals list --without notes',
        'crm deals list --summary stage',
        "crm deals list --summary owner_id,stage --measures 'count,sum(amount),median(amount)' --top 10",
        "crm deals list --where '.amount > 1000 and .owner_id == null'",
      ),
    )
    .action(act(listDeals))
  addSummaryFlags(list, 'deal')
  addWithFlag(list)
  addScopedFlags(list, ['fields', 'where', 'limit'])
}

async function listDeals(ctx: Context, { filter = [], cursor, without, ...choice }: Options): Promise<undefined> {
  refuseWithoutSummary(choice)
  const isAllRead = choice.sort !== undefined || without !== undefined
  const query = { limit: isAllRead ? undefined : requestedLimit(ctx), cursor }
  const keep = without && keepWithoutNotes(await ctx.api())
  return printChosen(ctx, await dealsMatching(ctx, filter, query), { ...choice, keep })
}

/** The deals of a `--filter`, with the checks that the server applies it. */
export async function dealsMatching(
  ctx: Context,
  filter: readonly string[],
  query: { readonly limit: number | undefined; readonly cursor?: string | undefined },
): Promise<SortableList> {
  const filters = parseFilters(filter)
  const api = await ctx.api()
  const pages = api.deals.list({ ...query, filters })
  const checks = [createStageCheck(ctx, filters), createFilterCheck({ filters, flag: '--filter' })]
  return { pages, ...listOf('deal'), resource: 'deal', cursor: query.cursor, checks }
}

/** Requested in parallel. */
const AT_ONCE = 20

/**
 * Keeps the deals that have no note: one request for each deal, or one list of all notes where the server has that. CrmError
 * `not_supported` if it lists no notes.
 */
function keepWithoutNotes(api: Api): (deals: readonly CrmRecord[]) => Promise<readonly CrmRecord[]> {
  if (api.connector.hasOneList('note')) {
    let withNotes: Promise<ReadonlySet<string>> | undefined
    return async (deals) => {
      withNotes ??= dealsOfNotes(api)
      const noted = await withNotes
      return deals.filter(({ id }) => !noted.has(idText(id) ?? ''))
    }
  }
  return async (deals) => {
    const kept: CrmRecord[] = []
    for (let at = 0; at < deals.length; at += AT_ONCE) {
      const asked = deals.slice(at, at + AT_ONCE)
      const noted = await Promise.all(asked.map(({ id }) => hasNote(api, idText(id) ?? '')))
      kept.push(...asked.filter((_, index) => !noted[index]))
    }
    return kept
  }
}

async function dealsOfNotes(api: Api): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  for await (const { items } of api.notes().list()) for (const { deal_id: id } of items) ids.add(idText(id) ?? '')
  return ids
}

async function hasNote(api: Api, dealId: string): Promise<boolean> {
  try {
    for await (const { items } of api.notes(dealId).list({ limit: 1 })) if (items.length > 0) return true
    return false
  } catch (cause) {
    if (!(cause instanceof CrmError) || cause.code !== 'not_supported') throw cause
    const message = `this server lists no notes, so that it is not known which deals have none: ${cause.message}`
    throw new CrmError('not_supported', message, { ...cause.details, cause })
  }
}
