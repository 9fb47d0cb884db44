import { readBody } from '../body.ts'
import { DEAL_FILTER_PARAMETERS, readDealFilters } from '../deal-filters.ts'
import { readDeal } from '../fields/deal-fields.ts'
import { PAGE_PARAMETERS, pageReply, readPage } from '../page.ts'
import { createRecord } from '../records.ts'
import type { Call, Reply, Route } from '../route.ts'
import type { Store } from '../store/store.ts'
import { write } from '../write.ts'

const COLLECTION = '/v1/deals'

const LIST_PARAMETERS = [...PAGE_PARAMETERS, ...DEAL_FILTER_PARAMETERS]

export const dealRoutes: readonly Route[] = [
  { method: 'GET', path: COLLECTION, scope: 'read', parameters: LIST_PARAMETERS, handle: listDeals },
  { method: 'POST', path: COLLECTION, scope: 'write', parameters: [], handle: createDeal },
]

async function listDeals(store: Store, call: Call): Promise<Reply> {
  return pageReply(call, await store.deals(readPage(call, 'deal'), readDealFilters(call)))
}

async function createDeal(store: Store, call: Call): Promise<Reply> {
  const sent = readBody(call)
  const deal = readDeal(sent, await store.pipelines())
  const fields = new Map([...sent, ['pipeline_id', JSON.stringify(deal.pipelineId)]])
  return write(store, call, {
    kind: 'deal',
    id: undefined,
    parent: undefined,
    decide: (state) => ({ ...createRecord(state, { collection: COLLECTION, fields, event: 'deal.created' }), deal }),
  })
}
