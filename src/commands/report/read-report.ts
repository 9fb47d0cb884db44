import type { Context } from '../../context.ts'
import { type Decimal, decimalOf } from '../../core/decimal.ts'
import { CrmError } from '../../core/errors.ts'
import { type CrmRecord, type ListedResource, RESOURCES } from '../../core/resources/registry.ts'
import { dealsMatching } from '../deals/list.ts'
import { checkOf, chosenPages, type List, listOf } from '../print.ts'

type See = (record: CrmRecord) => void | Promise<void>

/** Reads all deals that match `--filter` and `--where`. */
export async function readAllDeals(ctx: Context, filter: readonly string[], see: See): Promise<undefined> {
  await readAll(ctx, await dealsMatching(ctx, filter, { limit: undefined }), see)
}

/** False if the server does not list them. */
export async function readAllRecords(ctx: Context, resource: ListedResource, see: See): Promise<boolean> {
  const api = await ctx.api()
  if (!api.connector.offers(resource, 'list')) return false
  await readAll(ctx, { pages: api[RESOURCES[resource].plural].list(), ...listOf(resource) }, see)
  return true
}

async function readAll(ctx: Context, list: List, see: See): Promise<void> {
  const check = await checkOf({ ...ctx, flags: { ...ctx.flags, fields: undefined } }, list)
  for await (const { items } of await chosenPages(ctx, list, check, false)) {
    for (const record of items) await see(record)
  }
  await check.judge()
}

/** The amounts of deals; counts those that are not numbers. */
export class Amounts {
  #unmeasured = 0

  /** Undefined for a deal without an amount, and for one that is not a number. */
  of({ amount }: CrmRecord): Decimal | undefined {
    const decimal = decimalOf(amount)
    if (!decimal && amount !== undefined && amount !== null) this.#unmeasured++
    return decimal
  }

  note(ctx: Context): void {
    const count = this.#unmeasured
    const those = count === 1 ? 'value that is not a number' : 'values that are not numbers'
    if (count > 0) ctx.note(`Not in the amounts: ${count} ${those}.`)
  }
}

/** CrmError `not_supported` for a report on a member that no record has. */
export function lackingMember(plural: string, member: string): CrmError {
  return new CrmError('not_supported', `the ${plural} of this server do not show ${member}`, {
    hint: `see what they have: crm ${plural} list --limit 1 -o json`,
  })
}
