import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addDealsCreate } from './create.ts'
import { addDealsExport } from './export.ts'
import { addDealsGet } from './get.ts'
import { addDealsImport } from './import.ts'
import { addDealsList } from './list.ts'
import { addDealsUpdate } from './update.ts'

export function addDeals(program: CommandUnknownOpts, act: Act): void {
  const deals = program.command('deals').description('list, read, create and change deals')
  addDealsList(deals, act)
  addDealsGet(deals, act)
  addDealsCreate(deals, act)
  addDealsUpdate(deals, act)
  addDealsExport(deals, act)
  addDealsImport(deals, act)
}
