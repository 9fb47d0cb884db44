import { timeOfSerial } from '../../../core/ids.ts'
import { RECORD_RESOURCES, RESOURCES } from '../../../core/resources/registry.ts'
import type { StoreStats } from '../store-stats.ts'
import type { Session } from './database.ts'
import { readBacklog } from './delivery-log.ts'

/** Every table of crm, with its indexes and long texts. */
const SIZE = `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
  WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'sequence'::regclass)`

export async function readStats(session: Session, nowMs: number): Promise<StoreStats> {
  const numberOf = async (sql: string, ...values: number[]): Promise<number> =>
    (await session.get<[number]>(sql, ...values))?.[0] ?? 0
  const records: [string, number][] = []
  for (const resource of RECORD_RESOURCES) {
    records.push([resource, await numberOf(`SELECT count(*) FROM ${RESOURCES[resource].plural}`)])
  }
  const webhooks = (status: string): string =>
    `SELECT count(*) FROM webhooks WHERE text::json ->> 'status' = '${status}'`
  const [oldestHistory] = (await session.get<[number]>('SELECT id FROM history ORDER BY id LIMIT 1')) ?? []
  const { open, failing, oldestEventMs } = await readBacklog(session)
  return {
    records: Object.fromEntries(records) as StoreStats['records'],
    pipelines: await numberOf('SELECT count(*) FROM pipelines'),
    enabledWebhooks: await numberOf(webhooks('enabled')),
    disabledWebhooks: await numberOf(webhooks('disabled')),
    liveKeys: await numberOf(
      `SELECT count(*) FROM api_keys
        WHERE coalesce(revoked_at_ms, $1::bigint + 1) > $1 AND coalesce(expires_at_ms, $1::bigint + 1) > $1`,
      nowMs,
    ),
    openDeliveries: open,
    failingDeliveries: failing,
    oldestOpenEventMs: oldestEventMs,
    idempotencyKeys: await numberOf('SELECT count(*) FROM idempotency'),
    historyEntries: await numberOf('SELECT count(*) FROM history'),
    oldestHistoryMs: oldestHistory === undefined ? undefined : timeOfSerial(oldestHistory),
    fixtureRuns: await numberOf('SELECT count(*) FROM fixture_runs WHERE is_ended = 0'),
    sizeBytes: await numberOf(SIZE),
  }
}
