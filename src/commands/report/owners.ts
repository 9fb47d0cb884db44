import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import type { DealState } from '../../core/deal-end.ts'
import { addDecimals, compareDecimals, type Decimal, decimalJson, shareOf, ZERO } from '../../core/decimal.ts'
import { idText } from '../../core/json.ts'
import { recordTimeMs } from '../../core/record-time.ts'
import { type CrmRecord, counted } from '../../core/resources/registry.ts'
import { barText, barWidth } from '../../output/terminal-text.ts'
import { examples } from '../command-tree.ts'
import { DealStages } from '../deals/deal-stages.ts'
import { FILTER_HELP } from '../deals/list.ts'
import { collect } from '../fields-input.ts'
import { addScopedFlags } from '../flags.ts'
import { printDerived } from '../print-derived.ts'
import { reportOwned } from './owned.ts'
import { Amounts, readAllDeals } from './read-report.ts'

interface Options {
  readonly filter?: readonly string[]
  readonly of?: string
}

const BAR_WIDTH = 24

/** Of the other columns without the time, which narrow terminals do not show. */
const OTHER_COLUMNS = 66

export function addOwnersReport(report: CommandUnknownOpts, act: Act): void {
  const owners = report
    .command('owners')
    .description('show the deals of each owner: open and won, with amounts, and the last change')
    .option('--of <owner>', 'what one owner has of every object, by email or id; the open deals are not won or lost')
    .option('--filter <key=value>', FILTER_HELP, collect)
    .addHelpText(
      'after',
      examples(
        'crm report owners',
        'crm report owners -o csv',
        "crm report owners --where '.amount > 1000'",
        'crm report owners --of anna@acme.example',
      ),
    )
    .action(act(reportOwners))
  addScopedFlags(owners, ['fields', 'where'])
}

async function reportOwners(ctx: Context, { filter = [], of }: Options): Promise<undefined> {
  if (of !== undefined) return reportOwned(ctx, of, filter)
  const owners = new Map<string, Sums>()
  const stages = new DealStages(ctx)
  const seen = { deals: 0, owned: 0 }
  const amounts = new Amounts()
  await readAllDeals(ctx, filter, async (deal) => {
    seen.deals++
    if (deal.owner_id !== undefined) seen.owned++
    const id = idText(deal.owner_id) ?? ''
    const own = owners.get(id) ?? newSums(id)
    owners.set(id, own)
    addDeal(own, deal, { state: await stages.stateOf(deal), amount: amounts.of(deal) ?? ZERO })
  })
  // A server may omit a member without a value, so that none shows whether it knows owners.
  if (seen.deals > 0 && seen.owned === 0) ctx.note('No deal has owner_id.')
  amounts.note(ctx)
  const sums = [...owners.values()]
  const sorted = sums.toSorted(
    (one, other) => compareDecimals(other.openAmount, one.openAmount) || other.open - one.open,
  )
  const most = sorted.reduce((largest, { openAmount }) => larger(largest, openAmount), ZERO)
  const unknown = sums.reduce((count, { unknown: own }) => count + own, 0)
  if (unknown > 0) ctx.note(`Neither open nor won: ${counted(unknown, 'deal')} in stages without a known probability.`)
  const columns = ['owner_id', 'deals', 'amount', 'open', 'open_amount', 'won', 'won_amount', 'last_change']
  const isTable = ctx.flags.output === 'table'
  const width = barWidth(ctx.io.stdout.columns, OTHER_COLUMNS, BAR_WIDTH)
  const rows = sorted.map((each) => ({
    ...rowOf(each),
    ...(isTable && { bar: barText(shareOf(each.openAmount, most), width) }),
  }))
  await printDerived(ctx, { rows, columns: isTable ? [...columns, 'bar'] : columns, plural: 'deals' })
}

/** The deals of one owner. */
interface Sums {
  readonly id: string
  count: number
  amount: Decimal
  open: number
  openAmount: Decimal
  won: number
  wonAmount: Decimal
  /** In stages of which it is not known whether they are open. */
  unknown: number
  lastChange: string | undefined
}

function newSums(id: string): Sums {
  const none = { count: 0, amount: ZERO, open: 0, openAmount: ZERO, won: 0, wonAmount: ZERO }
  return { id, ...none, unknown: 0, lastChange: undefined }
}

interface Measured {
  /** Undefined if it is not known. */
  readonly state: DealState | undefined
  readonly amount: Decimal
}

function addDeal(sums: Sums, { updated_at: changed }: CrmRecord, { state, amount }: Measured): void {
  sums.count++
  sums.amount = addDecimals(sums.amount, amount)
  if (typeof changed === 'string' && isLater(changed, sums.lastChange)) sums.lastChange = changed
  if (state === undefined) sums.unknown++
  if (state === undefined || state === 'lost') return
  sums[state]++
  const name = `${state}Amount` as const
  sums[name] = addDecimals(sums[name], amount)
}

function isLater(text: string, than: string | undefined): boolean {
  return recordTimeMs(text) > (than === undefined ? Number.NEGATIVE_INFINITY : recordTimeMs(than))
}

function rowOf({ id, count, amount, open, openAmount, won, wonAmount, lastChange }: Sums): CrmRecord {
  return {
    owner_id: id || null,
    deals: count,
    amount: decimalJson(amount),
    open,
    open_amount: decimalJson(openAmount),
    won,
    won_amount: decimalJson(wonAmount),
    last_change: lastChange ?? null,
  }
}

function larger(one: Decimal, other: Decimal): Decimal {
  return compareDecimals(one, other) < 0 ? other : one
}
