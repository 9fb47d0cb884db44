import type { Api } from '../../api/api.ts'
import { resourceOf } from '../../core/resources/registry.ts'
import { type Forecast, forecast, type PlanCounts, type PlanHead } from './plan-format.ts'

/** What the number of requests of a job depends on. */
export interface Sendable {
  readonly head: Pick<PlanHead, 'noun' | 'upsert' | 'terms'>
  readonly counts: Pick<PlanCounts, 'create' | 'update' | 'delete'>
}

/** The least number of requests, with rows in batches where the server takes many at once. */
function requestCount({ head, counts }: Sendable, { connector, wire }: Pick<Api, 'connector' | 'wire'>): number {
  const { noun, upsert, terms } = head
  const batch = connector.document.resources[resourceOf(noun)]?.batch ?? {}
  // A create that may turn out to be a change is sent alone, and so is one whose idempotency key may be kept.
  const isAlone = terms?.match.mode === 'upsert' || wire.idempotency !== 'none'
  const create = upsert === undefined ? (isAlone ? undefined : batch.create) : batch.upsert
  const requests = (rows: number, { size } = { size: 1 }) => Math.ceil(rows / size)
  return requests(counts.create, create) + requests(counts.update, batch.update) + requests(counts.delete, batch.delete)
}

/** The requests of a job, and the least time that the last stated limit leaves for them. */
export function forecastOf(sendable: Sendable, api: Pick<Api, 'connector' | 'wire' | 'rate'>, share: number): Forecast {
  return forecast(requestCount(sendable, api), api.rate(), share)
}
