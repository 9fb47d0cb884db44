/** How long the log keeps a delivery that succeeded, and one that was given up. */
export const SUCCESS_KEPT_MS = 24 * 60 * 60 * 1000
export const FAILURE_KEPT_MS = 7 * SUCCESS_KEPT_MS

/** How long an event waits behind an earlier one of its record that fails, before it overtakes. */
export const ORDER_KEPT_MS = 5 * 60 * 1000

/** One event for one subscription, claimed by one sender until the time in it. */
export interface Claim {
  readonly eventId: string
  readonly webhookId: string
  /** Renewing moves it; a result under any other time than the last one is ignored. */
  readonly claimedUntilMs: number
}

export interface ClaimedDelivery extends Claim {
  readonly url: string
  /** Each of them signs: there are several while one is rotated out. */
  readonly secrets: readonly string[]
  /** The body, as UTF-8. */
  readonly text: string
  /** Tries before this one, all of them failures. */
  readonly failedTries: number
}

/** Status is that of the HTTP answer, where there was one. */
export type TryOutcome =
  | { readonly type: 'succeeded'; readonly status: number }
  | { readonly type: 'retry'; readonly status: number | undefined; readonly reason: string; readonly dueAtMs: number }
  | { readonly type: 'failed'; readonly status: number | undefined; readonly reason: string }
  /** Given back without a try, due at once. */
  | { readonly type: 'untried' }

export interface TryResult {
  readonly claim: Claim
  readonly outcome: TryOutcome
}

export interface DeliveryTurn {
  readonly results: readonly TryResult[]
  /** Claims whose tries take longer than they were made for. */
  readonly renewals: readonly Claim[]
  /** How long claims last, the renewed ones too; those of a process that died are free afterwards. */
  readonly leaseMs: number
  /** How many deliveries may be claimed at most, of all subscriptions and of one. */
  readonly slots: number
  slotsOf(webhookId: string): number
}

export interface TurnOutcome {
  readonly claimed: readonly ClaimedDelivery[]
  /** When claims that were made or renewed in this turn end. */
  readonly claimedUntilMs: number
  /** The next time after now at which a delivery falls due; undefined when none does. */
  readonly nextDueAtMs: number | undefined
  /** Subscriptions of which a try failed in this turn, and since when none has succeeded. */
  readonly failingSinceMs: ReadonlyMap<string, number>
}

export const DELIVERY_STATES = ['waiting', 'pending', 'sending', 'succeeded', 'failed'] as const

/** One line of the log: an event on its way to a subscription, or what became of it. */
export interface DeliveryEntry {
  readonly eventId: string
  readonly webhookId: string
  readonly kind: string
  /** Of the record that the event is about. */
  readonly recordId: string
  /** `waiting` behind an earlier one of its record, `pending` until its next try, `sending` now. */
  readonly state: (typeof DELIVERY_STATES)[number]
  readonly attempts: number
  /** Undefined when none is to come, or it waits for another. */
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
  /** The event to go on behind; undefined when this page is the last. */
  readonly nextOlderThanId: string | undefined
}

/** The outbox as a sender sees it. */
export interface Deliveries {
  /**
   * Keeps results and claims what is due, in one transaction. Not durable against a power cut, after which a try is made
   * again; a process that dies loses none. Events of one record reach a subscription in order: one is due when those
   * before it are done, or have failed for ORDER_KEPT_MS. What is due for a disabled subscription fails here.
   */
  turn(turn: DeliveryTurn): Promise<TurnOutcome>
  /** Of one subscription, newest event first: what is under way, and what has ended for as long as it is kept. */
  log(webhookId: string, query: DeliveryQuery): Promise<DeliveryPage>
  /** Called after each commit in this process that wrote deliveries; returns how to end that. */
  onWritten(listener: () => void): () => void
}
