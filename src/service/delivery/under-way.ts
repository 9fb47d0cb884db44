import type { Claim, ClaimedDelivery, TryOutcome, TryResult } from '../store/deliveries.ts'

interface Entry {
  readonly delivery: ClaimedDelivery
  claimedUntilMs: number
  /** From the end of the try until it is kept. */
  outcome: TryOutcome | undefined
  ended: Promise<void>
}

/** The deliveries that this process has claimed, each until its result is kept. */
export class UnderWay {
  readonly #entries = new Map<string, Entry>()

  /** A claim that ran out while its try went on, and fell to us again, goes on with that try. */
  add(delivery: ClaimedDelivery, attempt: (delivery: ClaimedDelivery) => Promise<TryOutcome>): Promise<void> {
    const key = keyOf(delivery)
    const known = this.#entries.get(key)
    if (known) {
      known.claimedUntilMs = delivery.claimedUntilMs
      return known.ended
    }
    const entry: Entry = {
      delivery,
      claimedUntilMs: delivery.claimedUntilMs,
      outcome: undefined,
      ended: Promise.resolve(),
    }
    this.#entries.set(key, entry)
    entry.ended = attempt(delivery).then((outcome) => {
      entry.outcome = outcome
    })
    return entry.ended
  }

  results(): readonly TryResult[] {
    return [...this.#entries.values()].flatMap((entry) =>
      entry.outcome ? [{ claim: claimOf(entry), outcome: entry.outcome }] : [],
    )
  }

  /** Claims that end before this time while their try goes on. */
  claimsUntil(timeMs: number): readonly Claim[] {
    return this.#running()
      .filter(({ claimedUntilMs }) => claimedUntilMs < timeMs)
      .map(claimOf)
  }

  renew(claims: readonly Claim[], untilMs: number): void {
    for (const claim of claims) {
      const entry = this.#entries.get(keyOf(claim))
      if (entry) entry.claimedUntilMs = untilMs
    }
  }

  remove(results: readonly TryResult[]): void {
    for (const { claim } of results) this.#entries.delete(keyOf(claim))
  }

  /** How many tries go on at each subscription. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { delivery } of this.#running())
      counts.set(delivery.webhookId, (counts.get(delivery.webhookId) ?? 0) + 1)
    return counts
  }

  async ended(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ ended }) => ended))
  }

  #running(): readonly Entry[] {
    return [...this.#entries.values()].filter(({ outcome }) => outcome === undefined)
  }
}

function keyOf({ eventId, webhookId }: Pick<Claim, 'eventId' | 'webhookId'>): string {
  return `${eventId} ${webhookId}`
}

function claimOf({ delivery: { eventId, webhookId }, claimedUntilMs }: Entry): Claim {
  return { eventId, webhookId, claimedUntilMs }
}
