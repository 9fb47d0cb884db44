import { decodeId } from '../../../core/ids.ts'
import { matchesEvent } from '../../../core/webhook-events.ts'
import type { DeliveryEntry } from '../deliveries.ts'
import { restartStatement } from '../delivery-log.ts'
import { IS_OPEN, type Line, overtakeTimeMs } from '../delivery-order.ts'
import type { OutboxEvent, SecretRotation } from '../store.ts'
import { rotatedSecrets } from '../webhook-secrets.ts'
import type { Connection } from './connection.ts'

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
      db.run(...restartStatement(delivery, nowMs))
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

const IN_LINE = `FROM deliveries INDEXED BY deliveries_open WHERE webhook_id = ? AND record_id = ? AND ${IS_OPEN}`

/** Whether the queue has open deliveries. */
function isLineOpen(db: Connection, { webhookSerial, recordId }: Line): boolean {
  return db.get(`SELECT 1 ${IN_LINE} LIMIT 1`, webhookSerial, recordId) !== undefined
}

/** Since when a delivery in the queue fails; undefined when none does. */
function failingSinceMs(db: Connection, { webhookSerial, recordId }: Line): number | undefined {
  return db.get<[number]>(
    `SELECT failing_since_ms ${IN_LINE} AND failing_since_ms > 0 ORDER BY failing_since_ms LIMIT 1`,
    webhookSerial,
    recordId,
  )?.[0]
}

/**
 * Makes the first delivery without an attempt due: now when it is first, otherwise when it has waited long enough for the
 * failing ones. The next one follows after its attempt.
 */
function advanceLine(db: Connection, line: Line, nowMs: number): void {
  const next = db.get<readonly [number, string]>(
    `SELECT event_id, state ${IN_LINE} AND failing_since_ms IS NULL ORDER BY event_id LIMIT 1`,
    line.webhookSerial,
    line.recordId,
  )
  if (!next || next[1] === 'sending') return
  const [eventSerial, state] = next
  const sinceMs = failingSinceMs(db, line)
  db.run(
    `UPDATE deliveries SET state = 'pending', next_at_ms = ${state === 'pending' ? 'min(next_at_ms, ?1)' : '?1'}
      WHERE event_id = ?2 AND webhook_id = ?3`,
    sinceMs === undefined ? nowMs : overtakeTimeMs(eventSerial, sinceMs, nowMs),
    eventSerial,
    line.webhookSerial,
  )
}

/** A changed subscription has not failed yet. */
export function forgetFailures(db: Connection, webhookId: string): void {
  db.run('UPDATE webhooks SET failing_since_ms = NULL WHERE id = ?', decodeId('webhook', webhookId) ?? null)
}

export function storeRotation(db: Connection, id: string, rotation: SecretRotation, nowMs: number): void {
  const serial = decodeId('webhook', id) ?? null
  const row = db.get<readonly [string, string]>('SELECT secret, old_secrets FROM webhooks WHERE id = ?', serial)
  if (!row) return
  const old = rotatedSecrets(...row, rotation, nowMs)
  db.run('UPDATE webhooks SET secret = ?, old_secrets = ? WHERE id = ?', rotation.secret, old, serial)
}
