import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { recordTimeMs } from '../../core/record-time.ts'
import { type CrmRecord, counted } from '../../core/resources/registry.ts'
import { examples } from '../command-tree.ts'
import { collect } from '../fields-input.ts'
import { addScopedFlags } from '../flags.ts'
import { printChosen } from '../print-chosen.ts'
import { addSummaryFlags, refuseWithoutSummary, type SummaryFlags } from '../summary/print-summary.ts'
import { parseSpan } from '../time-flags.ts'
import { DealStages } from './deal-stages.ts'
import { dealsMatching, FILTER_HELP } from './list.ts'

interface Options extends SummaryFlags {
  /** Milliseconds. */
  readonly for: number
  readonly filter?: readonly string[]
  readonly closed?: boolean
}

export function addDealsStale(deals: CommandUnknownOpts, act: Act): void {
  const stale = deals
    .command('stale')
    .description(
      'list open deals that have not been changed for some time, the longest unchanged first; notes are no change',
    )
    .addOption(
      new Option('--for <time>', 'unchanged for at least this long, such as 90d')
        .argParser(parseSpan)
        .makeOptionMandatory(),
    )
    .option('--filter <key=value>', FILTER_HELP, collect)
    .option('--closed', 'deals in a stage with the probability 0 or 1, too')
    .addHelpText(
      'after',
      examples(
        'crm deals stale --for 90d',
        'crm deals stale --for 30d --summary owner_id',
        'crm deals stale --for 90d -o id | crm deals get - -o csv',
      ),
    )
    .action(act(listStale))
  addSummaryFlags(stale, 'deal')
  addScopedFlags(stale, ['fields', 'where', 'limit'])
}

async function listStale(
  ctx: Context,
  { for: spanMs, filter = [], closed: isClosedShown = false, ...choice }: Options,
): Promise<undefined> {
  refuseWithoutSummary(choice)
  const stale = new StaleDeals(ctx, { beforeMs: ctx.now() - spanMs, isClosedShown })
  const list = await dealsMatching(ctx, filter, { limit: undefined })
  const sort = choice.sort ?? (choice.summary === undefined ? 'updated_at' : undefined)
  const checks = [...(list.checks ?? []), { see: () => {}, judge: async () => stale.judge() }]
  await printChosen(ctx, { ...list, checks }, { ...choice, ...(sort !== undefined && { sort }), keep: stale.keep })
  stale.note()
}

/** Deals whose last change is long ago. */
class StaleDeals {
  readonly #ctx: Context
  readonly #asked: { readonly beforeMs: number; readonly isClosedShown: boolean }
  readonly #stages: DealStages
  readonly #count = { read: 0, timeless: 0, closed: 0, unknown: 0 }

  constructor(ctx: Context, asked: { readonly beforeMs: number; readonly isClosedShown: boolean }) {
    this.#ctx = ctx
    this.#asked = asked
    this.#stages = new DealStages(ctx)
  }

  readonly keep = async (deals: readonly CrmRecord[]): Promise<readonly CrmRecord[]> => {
    const kept: CrmRecord[] = []
    for (const deal of deals) if (await this.#isStale(deal)) kept.push(deal)
    return kept
  }

  async #isStale(deal: CrmRecord): Promise<boolean> {
    this.#count.read++
    const changedMs = recordTimeMs(deal.updated_at)
    if (Number.isNaN(changedMs)) {
      this.#count.timeless++
      return false
    }
    if (changedMs > this.#asked.beforeMs) return false
    if (this.#asked.isClosedShown) return true
    const state = await this.#stages.stateOf(deal)
    if (state === undefined) this.#count.unknown++
    const isClosed = state === 'won' || state === 'lost'
    if (isClosed) this.#count.closed++
    return !isClosed
  }

  /** CrmError `not_supported` if no deal shows when it was changed. */
  judge(): void {
    const { read, timeless } = this.#count
    if (read === 0 || timeless < read) return
    throw new CrmError('not_supported', 'this server does not show when a deal was changed: none has updated_at', {
      hint: 'see what deals have: crm deals list --limit 1 -o json',
    })
  }

  note(): void {
    const { timeless, closed, unknown } = this.#count
    if (timeless > 0) this.#ctx.note(`Left out: ${counted(timeless, 'deal')} without a time of the last change.`)
    if (closed > 0) this.#ctx.note(`Left out: ${counted(closed, 'deal')} in a closed stage; --closed shows them.`)
    if (unknown > 0) this.#ctx.note(`Whether the stage is open is not known: ${counted(unknown, 'deal')}.`)
  }
}
