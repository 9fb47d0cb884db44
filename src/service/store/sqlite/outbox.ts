import { decodeId } from '../../../core/ids.ts'
import { matchesEvent } from '../../../core/webhook-events.ts'
import type { DeliveryEntry } from '../deliveries.ts'
import type { OutboxEvent } from '../store.ts'
import type { Connection } from './connection.ts'
import { restartDelivery } from './delivery-log.ts'
import { advanceLine, isLineOpen } from './delivery-order.ts'

interface Subscription {
  readonly webhookSerial: number
  readonly patterns: readonly string[]
}

export interface EventPlace {
  readonly serial: number
  readonly recordId: string
  readonly dueAtMs: number
  /** The id of the only webhook that receives it. */
  readonly onlyTo?: string
}

export interface Outbox {
  /** Whether any subscription matches the kind; otherwise no event is written. */
  isWanted(kind: OutboxEvent['kind']): boolean
  /** Writes the event and a delivery for each matching enabled webhook, or the one named, queued after those of its record. */
  put(event: OutboxEvent, place: EventPlace): void
  /** Restarts a delivery now. */
  resend(delivery: DeliveryEntry, nowMs: number): void
  /** Drops the cached subscriptions, after a webhook was written or a transaction rolled back. */
  forget(): void
  /** Drops the cache when another process has committed. Called once per transaction. */
  refresh(): void
  /** Whether a delivery was written since the last call. */
  takeWritten(): boolean
}

export function openOutbox(db: Connection): Outbox {
  let subscriptions: readonly Subscription[] | undefined
  let dataVersion: number | undefined
  let isWritten = false
  /** The serials of the enabled webhooks. */
  const subscribersTo = (kind: string): readonly number[] => {
    subscriptions ??= readSubscriptions(db)
    const matching = subscriptions.filter(({ patterns }) => patterns.some((pattern) => matchesEvent(pattern, kind)))
    return matching.map(({ webhookSerial }) => webhookSerial)
  }
  return {
    isWanted: (kind) => subscribersTo(kind).length > 0,
    put: (event, { serial, recordId, dueAtMs, onlyTo }) => {
      db.run('INSERT INTO events (id, kind, text) VALUES (?, ?, ?)', serial, event.kind, event.text)
      const serials = onlyTo === undefined ? subscribersTo(event.kind) : [decodeId('webhook', onlyTo) ?? 0]
      for (const webhookSerial of serials) {
        const line = { webhookSerial, recordId }
        const isBehind = isLineOpen(db, line)
        db.run(
          `INSERT INTO deliveries (event_id, webhook_id, record_id, attempts, next_at_ms, state)
            VALUES (?, ?, ?, 0, ?, ?)`,
          serial,
          webhookSerial,
          recordId,
          dueAtMs,
          isBehind ? 'waiting' : 'pending',
        )
        if (isBehind) advanceLine(db, line, dueAtMs)
        isWritten = true
      }
    },
    resend: (delivery, nowMs) => {
      restartDelivery(db, delivery, nowMs)
      isWritten = true
    },
    forget: () => {
      subscriptions = undefined
    },
    refresh: () => {
      // Changes only when another connection commits: https://sqlite.org/pragma.html#pragma_data_version
      const [current] = db.get<[number]>('PRAGMA data_version') ?? []
      if (current !== dataVersion) subscriptions = undefined
      dataVersion = current
    },
    takeWritten: () => {
      const was = isWritten
      isWritten = false
      return was
    },
  }
}

function readSubscriptions(db: Connection): readonly Subscription[] {
  return db
    .all<readonly [number, string]>(`SELECT id, events FROM webhooks WHERE text ->> '$.status' = 'enabled' ORDER BY id`)
    .map(([webhookSerial, events]) => ({ webhookSerial, patterns: JSON.parse(events) }))
}
