import { timeOfSerial } from '../../../core/ids.ts'
import type { StoreStats } from '../store.ts'
import type { Connection } from './connection.ts'
import { IS_OPEN } from './delivery-states.ts'

export function readStats(db: Connection, nowMs: number): StoreStats {
  const count = (from: string, ...values: number[]): number =>
    db.get<[number]>(`SELECT count(*) FROM ${from}`, ...values)?.[0] ?? 0
  const [oldest] = db.get<[number | null]>(`SELECT min(event_id) FROM deliveries WHERE ${IS_OPEN}`) ?? []
  const [sizeBytes = 0] =
    db.get<[number]>('SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()') ?? []
  return {
    contacts: count('contacts'),
    deals: count('deals'),
    notes: count('notes'),
    pipelines: count('pipelines'),
    enabledWebhooks: count(`webhooks WHERE text ->> '$.status' = 'enabled'`),
    disabledWebhooks: count(`webhooks WHERE text ->> '$.status' = 'disabled'`),
    liveKeys: count(
      'api_keys WHERE coalesce(revoked_at_ms, ?1 + 1) > ?1 AND coalesce(expires_at_ms, ?1 + 1) > ?1',
      nowMs,
    ),
    openDeliveries: count(`deliveries WHERE ${IS_OPEN}`),
    failingDeliveries: count(`deliveries WHERE ${IS_OPEN} AND failing_since_ms > 0`),
    oldestOpenEventMs: typeof oldest === 'number' ? timeOfSerial(oldest) : undefined,
    idempotencyKeys: count('idempotency'),
    sizeBytes,
  }
}
