import { decodeId } from '../../../core/ids.ts'
import { advanceLine, IS_OPEN, type Line, lockLines } from '../delivery-order.ts'
import type { OutboxEvent } from '../store.ts'
import type { PostgresTransaction } from './database.ts'
import type { Rules } from './rules.ts'

export interface EventPlace {
  readonly serial: number
  readonly recordId: string
  readonly dueAtMs: number
  /** The id of the only webhook that receives it. */
  readonly onlyTo?: string
}

interface PendingDelivery extends Line {
  readonly eventSerial: number
  readonly dueAtMs: number
  readonly state: 'waiting' | 'pending'
}

/** The events of a batch, with a delivery for each subscription, queued after the open ones of their record. */
export class PendingEvents {
  readonly #tx: PostgresTransaction
  readonly #openLines = new Set<string>()
  readonly #behind = new Map<string, Line>()
  #events: (readonly [serial: number, kind: string, text: string])[] = []
  #deliveries: PendingDelivery[] = []
  /** Whether the batch has written a delivery. */
  isWritten = false

  constructor(tx: PostgresTransaction) {
    this.#tx = tx
  }

  /** Holds the queues of these records until the end of the transaction, and finds those with open deliveries. */
  async holdLines(recordIds: readonly string[]): Promise<void> {
    if (recordIds.length === 0) return
    await lockLines(this.#tx, recordIds)
    const rows = await this.#tx.all<readonly [number, string]>(
      `SELECT DISTINCT webhook_id, record_id FROM deliveries WHERE record_id = ANY($1::text[]) AND ${IS_OPEN}`,
      recordIds,
    )
    for (const [webhookSerial, recordId] of rows) this.#openLines.add(lineKey({ webhookSerial, recordId }))
  }

  put(event: OutboxEvent, { serial, recordId, dueAtMs, onlyTo }: EventPlace, rules: Rules): void {
    this.#events.push([serial, event.kind, event.text])
    const serials = onlyTo === undefined ? rules.subscribersTo(event.kind) : [decodeId('webhook', onlyTo) ?? 0]
    for (const webhookSerial of serials) {
      const line = { webhookSerial, recordId }
      const key = lineKey(line)
      const isBehind = this.#openLines.has(key)
      this.#deliveries.push({ ...line, eventSerial: serial, dueAtMs, state: isBehind ? 'waiting' : 'pending' })
      if (isBehind) this.#behind.set(key, line)
      this.#openLines.add(key)
      this.isWritten = true
    }
  }

  async flush(nowMs: number): Promise<void> {
    if (this.#events.length > 0) {
      this.#tx.later(
        'INSERT INTO events (id, kind, text) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])',
        this.#events.map(([serial]) => serial),
        this.#events.map(([, kind]) => kind),
        this.#events.map(([, , text]) => text),
      )
      this.#events = []
    }
    if (this.#deliveries.length > 0) {
      this.#tx.later(
        `INSERT INTO deliveries (event_id, webhook_id, record_id, next_at_ms, state, attempts)
          SELECT *, 0 FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[])`,
        this.#deliveries.map(({ eventSerial }) => eventSerial),
        this.#deliveries.map(({ webhookSerial }) => webhookSerial),
        this.#deliveries.map(({ recordId }) => recordId),
        this.#deliveries.map(({ dueAtMs }) => dueAtMs),
        this.#deliveries.map(({ state }) => state),
      )
      this.#deliveries = []
    }
    await Promise.all([...this.#behind.values()].map((line) => advanceLine(this.#tx, line, nowMs)))
    this.#behind.clear()
  }
}

function lineKey({ webhookSerial, recordId }: Line): string {
  return `${webhookSerial}/${recordId}`
}
