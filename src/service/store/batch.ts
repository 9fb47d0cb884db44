import { nextSerial, writeTimeMs } from './change-rules.ts'
import type { Answers } from './idempotency.ts'
import type { PendingEvents } from './pending-events.ts'
import type { KnownRecords } from './records.ts'
import type { Rules } from './rules.ts'
import type { Transaction } from './sql.ts'
import type { UniqueValues } from './unique-members.ts'

/** What the writes of one transaction share. */
export interface Batch {
  readonly tx: Transaction
  readonly serials: Serials
  /** For expiry and due times. The time of a write never steps back and may be ahead of a corrected clock. */
  readonly clockMs: number
  readonly answers: Answers
  readonly records: KnownRecords
  readonly events: PendingEvents
  readonly unique: UniqueValues
  readonly hasHistory: boolean
  /** Of the records that the writes change. */
  readonly changedIds: readonly string[]
  rules: Rules
  /** Subscriptions were written, so that rules must be read again. */
  areRulesChanged: boolean
}

/**
 * The serials of one transaction. The last one is stored in its own row: the highest id of a table would decrease when the
 * newest record is deleted, and its id would be reused.
 */
export class Serials {
  readonly #now: () => number
  #last: number

  constructor(last: number, now: () => number) {
    this.#last = last
    this.#now = now
  }

  get last(): number {
    return this.#last
  }

  timeMs(): number {
    return writeTimeMs(this.#last, this.#now())
  }

  next(): number {
    return this.nextAt(this.#now())
  }

  /** One of this time, unless more were taken than a millisecond has. */
  nextAt(timeMs: number): number {
    this.#last = nextSerial(this.#last, timeMs)
    return this.#last
  }
}
