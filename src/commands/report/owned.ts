import type { Context } from '../../context.ts'
import { addDecimals, type Decimal, decimalJson, ZERO } from '../../core/decimal.ts'
import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import { type CrmRecord, fieldOf, RESOURCES } from '../../core/resources/registry.ts'
import { withoutFlags } from '../command-line.ts'
import { DealStages } from '../deals/deal-stages.ts'
import { OWNER, type OwnedResource, ownedResources, readOwners } from '../owners.ts'
import { printDerived } from '../print-derived.ts'
import { Amounts, readAllRecords } from './read-report.ts'

/** What one owner has: a row for each object that has owners. */
export async function reportOwned(ctx: Context, word: string, filter: readonly string[]): Promise<undefined> {
  if (filter.length > 0)
    throw new CrmError('usage', '--filter is of deals, and --of counts every object', {
      hint: withoutFlags(ctx.argv, '--filter'),
    })
  const { id, text } = (await readOwners(ctx)).named('--of', word)
  const stages = new DealStages(ctx)
  const amounts = new Amounts()
  const rows: CrmRecord[] = []
  for (const resource of ownedResources(await ctx.api()))
    rows.push(await ownedRow(ctx, { resource, id, stages, amounts }))
  amounts.note(ctx)
  if (rows.every(({ records }) => records === 0)) ctx.note(`${text} owns no record.`)
  await printDerived(ctx, { rows, columns: ['object', 'records', 'open', 'amount', 'open_amount'], plural: 'objects' })
}

interface Counted {
  readonly resource: OwnedResource
  readonly id: string
  readonly stages: DealStages
  readonly amounts: Amounts
}

/** A record that is no deal is open, and so is a deal in a stage of which it is not known. */
async function ownedRow(ctx: Context, { resource, id, stages, amounts }: Counted): Promise<CrmRecord> {
  const counts = { records: 0, open: 0 }
  let [amount, openAmount]: Decimal[] = [ZERO, ZERO]
  await readAllRecords(ctx, resource, async (record) => {
    if (idText(record[OWNER]) !== id) return
    const state = resource === 'deal' ? await stages.stateOf(record) : undefined
    const isOpen = state === undefined || state === 'open'
    const own = amounts.of(record) ?? ZERO
    counts.records++
    amount = addDecimals(amount ?? ZERO, own)
    if (!isOpen) return
    counts.open++
    openAmount = addDecimals(openAmount ?? ZERO, own)
  })
  const isMeasured = fieldOf(resource, 'amount') !== undefined
  const sums = { amount: decimalJson(amount ?? ZERO), open_amount: decimalJson(openAmount ?? ZERO) }
  return { object: RESOURCES[resource].plural, ...counts, ...(isMeasured ? sums : { amount: null, open_amount: null }) }
}
