import type { RecordResource } from '../../core/resources/registry.ts'

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
