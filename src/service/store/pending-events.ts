import { decodeId } from '../../core/ids.ts'
import { advanceLine, isLineOpen, type Line, lockLines } from './delivery-order.ts'
import type { Rules } from './rules.ts'
import type { Transaction } from './sql.ts'
import type { OutboxEvent } from './store.ts'

export interface EventPlace {
  readonly serial: number
  readonly recordId: string
  readonly dueAtMs: number
  /** The id of the only webhook that receives it. */
  readonly onlyTo?: string
}

/** The events of a batch, with a delivery for each subscription, queued after the open ones of their record. */
export class PendingEvents {
  readonly #tx: Transaction
  readonly #openLines = new Set<string>()
  readonly #behind = new Map<string, Line>()
  /** Whether the batch has written a delivery. */
  isWritten = false

  constructor(tx: Transaction) {
    this.#tx = tx
  }

  /** Holds the queues of these records until the end of the transaction, and finds those with open deliveries. */
  async holdLines(recordIds: readonly string[], { subscribers }: Rules): Promise<void> {
    if (subscribers.length === 0 || recordIds.length === 0) return
    await lockLines(this.#tx, recordIds)
    const lines = recordIds.flatMap((recordId) => subscribers.map((webhookSerial) => ({ webhookSerial, recordId })))
    const areOpen = await Promise.all(lines.map((line) => isLineOpen(this.#tx, line)))
    for (const [place, line] of lines.entries()) if (areOpen[place]) this.#openLines.add(lineKey(line))
  }

  /** Writes an event and its deliveries. */
  put(event: OutboxEvent, { serial, recordId, dueAtMs, onlyTo }: EventPlace, rules: Rules): void {
    this.#tx.later('INSERT INTO events (id, kind, text) VALUES ($1, $2, $3)', serial, event.kind, event.text)
    const serials = onlyTo === undefined ? rules.subscribersTo(event.kind) : [decodeId('webhook', onlyTo) ?? 0]
    for (const webhookSerial of serials) {
      const line = { webhookSerial, recordId }
      const key = lineKey(line)
      const isBehind = this.#openLines.has(key)
      this.#tx.later(
        `INSERT INTO deliveries (event_id, webhook_id, record_id, attempts, next_at_ms, state)
          VALUES ($1, $2, $3, 0, $4, $5)`,
        ...[serial, webhookSerial, recordId, dueAtMs, isBehind ? 'waiting' : 'pending'],
      )
      if (isBehind) this.#behind.set(key, line)
      this.#openLines.add(key)
      this.isWritten = true
    }
  }

  /** Makes what was written behind others due when it has waited long enough for failing ones. */
  async advance(nowMs: number): Promise<void> {
    await Promise.all([...this.#behind.values()].map((line) => advanceLine(this.#tx, line, nowMs)))
  }
}

function lineKey({ webhookSerial, recordId }: Line): string {
  return `${webhookSerial}/${recordId}`
}
