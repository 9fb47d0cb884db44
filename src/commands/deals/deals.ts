import type { Noun } from '../command-tree.ts'
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

export const DEALS: Noun = {
  description: 'list, read, create and change deals',
  commands: {
    list: addDealsList,
    get: (parent, act) => addGet(parent, act, { resource: 'deal', examples: EXAMPLES.get }),
    create: (parent, act) => addCreate(parent, act, { resource: 'deal', examples: EXAMPLES.create }),
    update: (parent, act) => addUpdate(parent, act, { resource: 'deal', examples: EXAMPLES.update }),
    export: addDealsExport,
    import: (parent, act) => addImport(parent, act, { resource: 'deal', examples: EXAMPLES.import }),
  },
}
