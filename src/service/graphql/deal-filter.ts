import { type DealQuery, fewAlternatives, readDealFilters } from '../deal-filters.ts'
import type { DealFilters } from '../store/store.ts'
import type { JsonValueText } from './json-value.ts'

type Maybe<T> = T | null | undefined

/** `DealFilter` of the schema. */
export interface DealFilterInput {
  readonly stage?: Maybe<readonly string[]>
  readonly ownerId?: Maybe<readonly string[]>
  readonly pipelineId?: Maybe<readonly string[]>
  readonly name?: Maybe<readonly string[]>
  readonly amountGte?: Maybe<JsonValueText>
  readonly amountLte?: Maybe<JsonValueText>
  readonly createdSince?: Maybe<string>
  readonly createdUntil?: Maybe<string>
}

/** The filters, and the query that asks REST for them: cursors are bound to that. A list may hold values with commas. */
export function readDealFilter(input: DealFilterInput): { readonly filters: DealFilters; readonly query: DealQuery } {
  const lists = { stage: input.stage, owner_id: input.ownerId, pipeline_id: input.pipelineId, name: input.name }
  const bounds = sentOf({
    'amount[gte]': input.amountGte?.text,
    'amount[lte]': input.amountLte?.text,
    created_since: input.createdSince,
    created_until: input.createdUntil,
  })
  const filters: DealFilters = {
    ...readDealFilters(bounds),
    stages: fewAlternatives('filter.stage', lists.stage ?? []),
    ownerIds: fewAlternatives('filter.ownerId', lists.owner_id ?? []),
    pipelineIds: fewAlternatives('filter.pipelineId', lists.pipeline_id ?? []),
    names: fewAlternatives('filter.name', lists.name ?? []),
  }
  const joined = Object.entries(lists).map(([name, values]): [string, string | undefined] => [name, values?.join(',')])
  return { filters, query: { ...bounds, ...sentOf(Object.fromEntries(joined)) } }
}

function sentOf(all: Readonly<Record<string, Maybe<string>>>): DealQuery {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== null))
}
