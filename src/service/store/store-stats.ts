import { timeOfSerial } from '../../core/ids.ts'
import { RECORD_RESOURCES, type RecordResource } from '../../core/resources/registry.ts'
import { readBacklog } from './delivery-log.ts'
import { tableOf } from './schema.ts'
import type { Session } from './sql.ts'

export interface StoreStats {
  readonly records: Readonly<Record<RecordResource, number>>
  readonly pipelines: number
  readonly enabledWebhooks: number
  readonly disabledWebhooks: number
  /** Neither revoked nor expired. */
  readonly liveKeys: number
  /** Open deliveries, and those with a failed attempt. */
  readonly openDeliveries: number
  readonly failingDeliveries: number
  readonly oldestOpenEventMs: number | undefined
  /** Answers kept for replays. */
  readonly idempotencyKeys: number
  /** Entries of the history. */
  readonly historyEntries: number
  readonly oldestHistoryMs: number | undefined
  /** Runs of fixtures of which something may exist. */
  readonly fixtureRuns: number
  /** Size on disk without the write-ahead log. */
  readonly sizeBytes: number
}

/** Counts rows. A database that is opened to be read may lack the table of a resource that was added since. */
export async function readStats(session: Session, nowMs: number): Promise<StoreStats> {
  const { member, tableNames, sizeBytes } = session.dialect
  const numberOf = async (sql: string, ...values: number[]): Promise<number> =>
    (await session.get<[number]>(sql, ...values))?.[0] ?? 0
  const countOf = (from: string, ...values: number[]) => numberOf(`SELECT count(*) FROM ${from}`, ...values)
  const tables = new Set((await session.all<[string]>(tableNames)).map(([name]) => name))
  const records: [RecordResource, number][] = []
  for (const resource of RECORD_RESOURCES) {
    const table = tableOf(resource)
    records.push([resource, tables.has(table) ? await countOf(table) : 0])
  }
  const webhooks = (status: string): string => `webhooks WHERE ${member('text', 'status')} = '${status}'`
  const oldest = await session.get<[number]>('SELECT id FROM history ORDER BY id LIMIT 1')
  const { open, failing, oldestEventMs } = await readBacklog(session)
  return {
    records: Object.fromEntries(records) as StoreStats['records'],
    pipelines: await countOf('pipelines'),
    enabledWebhooks: await countOf(webhooks('enabled')),
    disabledWebhooks: await countOf(webhooks('disabled')),
    liveKeys: await countOf(
      `api_keys WHERE coalesce(revoked_at_ms, CAST($1 AS bigint) + 1) > $1
        AND coalesce(expires_at_ms, CAST($1 AS bigint) + 1) > $1`,
      nowMs,
    ),
    openDeliveries: open,
    failingDeliveries: failing,
    oldestOpenEventMs: oldestEventMs,
    idempotencyKeys: await countOf('idempotency'),
    historyEntries: await countOf('history'),
    oldestHistoryMs: oldest && timeOfSerial(oldest[0]),
    fixtureRuns: await countOf('fixture_runs WHERE is_ended = 0'),
    sizeBytes: await numberOf(sizeBytes),
  }
}
