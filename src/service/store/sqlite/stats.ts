import { timeOfSerial } from '../../../core/ids.ts'
import { RECORD_RESOURCES, RESOURCES } from '../../../core/resources/registry.ts'
import type { StoreStats } from '../store.ts'
import type { Connection } from './connection.ts'
import { IS_OPEN } from './delivery-states.ts'

export function readStats(db: Connection, nowMs: number): StoreStats {
  const count = (from: string, ...values: number[]): number =>
    db.get<[number]>(`SELECT count(*) FROM ${from}`, ...values)?.[0] ?? 0
  // Opened to be read, a database made before a resource was added has no table for it.
  const tables = db.all<[string]>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).map(([name]) => name)
  const countAll = (table: string): number => (tables.includes(table) ? count(table) : 0)
  const [oldest] = db.get<[number | null]>(`SELECT min(event_id) FROM deliveries WHERE ${IS_OPEN}`) ?? []
  const [sizeBytes = 0] =
    db.get<[number]>('SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()') ?? []
  return {
    records: Object.fromEntries(
      RECORD_RESOURCES.map((resource) => [resource, countAll(RESOURCES[resource].plural)]),
    ) as StoreStats['records'],
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
