import type { Claim, ClaimedDelivery, TryOutcome, TryResult } from '../store/deliveries.ts'

interface Entry {
  readonly delivery: ClaimedDelivery
  claimedUntilMs: number
  /** Set from the end of the attempt until it is stored. */
  outcome: TryOutcome | undefined
  ended: Promise<void>
}

/** The deliveries claimed by this process, each until its result is stored. */
export class ActiveDeliveries {
  readonly #entries = new Map<string, Entry>()

  /** An expired claim that this process claims again continues with the attempt in progress. */
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

  /** Claims of attempts in progress that end before this time. */
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

  /** The number of attempts in progress by subscription. */
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
