import { DEAL_FILTER_PARAMETERS } from '../../core/resources/deal-filters.ts'
import { readBody } from '../body.ts'
import { DEALS_PATH, dealCreation } from '../deal-changes.ts'
import { readDealFilters } from '../deal-filters.ts'
import { PAGE_PARAMETERS, pageReply, readPage } from '../page.ts'
import type { Call, Reply, Route } from '../route.ts'
import type { Store } from '../store/store.ts'
import { write } from '../write.ts'

const LIST_PARAMETERS = [...PAGE_PARAMETERS, ...DEAL_FILTER_PARAMETERS]

export const dealRoutes: readonly Route[] = [
  { method: 'GET', path: DEALS_PATH, scope: 'read', parameters: LIST_PARAMETERS, handle: listDeals },
  { method: 'POST', path: DEALS_PATH, scope: 'write', parameters: [], handle: createDeal },
]

async function listDeals(store: Store, call: Call): Promise<Reply> {
  return pageReply(call, await store.deals(readPage(call, 'deal'), readDealFilters(call.query)))
}

async function createDeal(store: Store, call: Call): Promise<Reply> {
  return write(store, call, dealCreation(readBody(call), await store.pipelines()))
}
