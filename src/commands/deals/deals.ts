import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addCreate } from '../records/create.ts'
import { addGet } from '../records/get.ts'
import { addImport } from '../records/import.ts'
import { addUpdate } from '../records/update.ts'
import { addDealsExport } from './export.ts'
import { addDealsList } from './list.ts'

const EXAMPLES = {
  get: ['crm deals get deal_0abc -o json', 'crm deals list --filter stage=Won -o id | crm deals get - -o csv'],
  create: [
    'crm deals create --set name="Engines" --set stage=Lead --set amount:=1200.5',
    'crm deals create --data deal.json -o id',
  ],
  update: [
    'crm deals update deal_0abc --set stage=Won',
    'crm deals update deal_0abc --set amount:=1200.5 --if-match 3',
    'crm deals update --where \'.stage == "Lead" and .amount < 100\' --set stage=Lost',
    'crm deals update --from amounts.csv --yes',
  ],
  import: ['crm deals import deals.csv --dry-run', 'crm deals import deals.csv'],
}

export function addDeals(program: CommandUnknownOpts, act: Act): void {
  const deals = program.command('deals').description('list, read, create and change deals')
  addDealsList(deals, act)
  addGet(deals, act, { resource: 'deal', examples: EXAMPLES.get })
  addCreate(deals, act, { resource: 'deal', examples: EXAMPLES.create })
  addUpdate(deals, act, { resource: 'deal', examples: EXAMPLES.update })
  addDealsExport(deals, act)
  addImport(deals, act, { resource: 'deal', examples: EXAMPLES.import })
}
