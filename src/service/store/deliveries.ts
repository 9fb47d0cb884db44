/** How long an event waits for a failing earlier event of its record before it overtakes. */
export const ORDER_KEPT_MS = 5 * 60 * 1000

/** One event for one subscription, claimed by one sender until `claimedUntilMs`. */
export interface Claim {
  readonly eventId: string
  readonly webhookId: string
  /** Moved by a renewal. A result with any other time is ignored. */
  readonly claimedUntilMs: number
}

export interface ClaimedDelivery extends Claim {
  readonly url: string
  /** Each of them signs; there are several during a rotation. */
  readonly secrets: readonly string[]
  /** The body, as UTF-8. */
  readonly text: string
  /** Failed attempts before this one. */
  readonly failedTries: number
}

/** `status` is that of the HTTP response, if there was one. */
export type TryOutcome =
  | { readonly type: 'succeeded'; readonly status: number }
  | { readonly type: 'retry'; readonly status: number | undefined; readonly reason: string; readonly dueAtMs: number }
  | { readonly type: 'failed'; readonly status: number | undefined; readonly reason: string }
  /** Returned without an attempt, due at once. */
  | { readonly type: 'untried' }

export interface TryResult {
  readonly claim: Claim
  readonly outcome: TryOutcome
}

export interface DeliveryTurn {
  readonly results: readonly TryResult[]
  /** Claims of attempts that take longer than the lease. */
  readonly renewals: readonly Claim[]
  /** The duration of new and renewed claims; claims of a killed process are free afterwards. */
  readonly leaseMs: number
  /** The maximum number of deliveries to claim, in total and per subscription. */
  readonly slots: number
  slotsOf(webhookId: string): number
}

export interface TurnOutcome {
  readonly claimed: readonly ClaimedDelivery[]
  /** The end of claims made or renewed in this turn. */
  readonly claimedUntilMs: number
  /** The next time at which a delivery is due; undefined when none is. */
  readonly nextDueAtMs: number | undefined
  /** Subscriptions with a failed attempt in this turn, and since when none has succeeded. */
  readonly failingSinceMs: ReadonlyMap<string, number>
}

export const DELIVERY_STATES = ['waiting', 'pending', 'sending', 'succeeded', 'failed'] as const

/** An entry of the log: an event for a subscription and its state. */
export interface DeliveryEntry {
  readonly eventId: string
  readonly webhookId: string
  readonly kind: string
  /** The record of the event. */
  readonly recordId: string
  /** `waiting` for an earlier one of its record, `pending` until its next attempt, `sending` now. */
  readonly state: (typeof DELIVERY_STATES)[number]
  readonly attempts: number
  /** Undefined when there is none, or it waits for another delivery. */
  readonly nextTryAtMs: number | undefined
  readonly lastTryAtMs: number | undefined
  readonly lastStatus: number | undefined
  readonly lastError: string | undefined
}

export interface DeliveryQuery {
  readonly limit: number
  /** Only events older than this one; undefined starts at the newest. */
  readonly olderThanId: string | undefined
}

export interface DeliveryPage {
  readonly entries: readonly DeliveryEntry[]
  /** The event after which the next page starts; undefined on the last page. */
  readonly nextOlderThanId: string | undefined
}

/** The deliveries that have not ended. */
export interface DeliveryBacklog {
  readonly open: number
  /** Those with a failed attempt. */
  readonly failing: number
  /** The time of the oldest event; undefined when none is open. */
  readonly oldestEventMs: number | undefined
}

/** The part of the outbox that a sender uses. */
export interface Deliveries {
  /**
   * Stores results and claims due deliveries in one transaction. Survives a killed process, but not a power cut, after which
   * an attempt is repeated. Events of one record reach a subscription in order: an event is due when the earlier ones are
   * done or have failed for ORDER_KEPT_MS. Due deliveries of a disabled subscription fail.
   */
  turn(turn: DeliveryTurn): Promise<TurnOutcome>
  /** The open and kept deliveries of one subscription, newest event first. */
  log(webhookId: string, query: DeliveryQuery): Promise<DeliveryPage>
  /** Reads an index of the open deliveries alone. */
  backlog(): Promise<DeliveryBacklog>
  /** Calls `listener` after each commit in this process that wrote deliveries. Returns a function to unsubscribe. */
  onWritten(listener: () => void): () => void
}
