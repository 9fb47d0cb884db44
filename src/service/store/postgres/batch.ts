import type { PostgresTransaction } from './database.ts'
import type { PendingEvents } from './pending-events.ts'
import type { PendingHistory } from './pending-history.ts'
import type { PendingRecords } from './pending-records.ts'
import type { PendingUnique } from './pending-unique.ts'
import type { Rules } from './rules.ts'
import type { Serials } from './sequence.ts'

/** What the writes of one transaction share. */
export interface Batch {
  readonly tx: PostgresTransaction
  readonly serials: Serials
  /** For expiry and due times. The time of a write never steps back and may be ahead of a corrected clock. */
  readonly clockMs: number
  readonly records: PendingRecords
  readonly events: PendingEvents
  readonly unique: PendingUnique
  readonly history: PendingHistory
  rules: Rules
  /** Subscriptions were written, so that rules must be read again. */
  areRulesChanged: boolean
  /** Writes all that is pending, so that statements see it. */
  flush(): Promise<void>
}
