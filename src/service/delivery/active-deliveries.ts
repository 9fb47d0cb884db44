import { CrmError } from '../../core/errors.ts'
import type { Claim, ClaimedDelivery, TryOutcome, TryResult } from '../store/deliveries.ts'

/** Finds writes of other processes, and repeats after a locked or full database. */
const POLL_MS = 1000

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

interface Turns {
  /** Requests a turn; repeated calls before it make one turn. */
  wake(): void
  /** Stops after the current turn. */
  end(): Promise<void>
}

/**
 * Runs turns sequentially: when woken, after the delay returned by the last turn, and once a second. A turn that fails with a
 * CrmError is repeated; any other error is a bug and is passed to `onBug`.
 */
export function takeTurns(turn: () => Promise<number | undefined>, onBug: (error: unknown) => void): Turns {
  let timer: NodeJS.Timeout | undefined
  let scheduled: NodeJS.Immediate | undefined
  let running: Promise<void> | undefined
  let isWokenAgain = false
  let hasEnded = false

  const run = async (): Promise<void> => {
    let waitMs = POLL_MS
    try {
      waitMs = Math.min(POLL_MS, (await turn()) ?? POLL_MS)
    } catch (error) {
      if (!(error instanceof CrmError)) return onBug(error)
    }
    if (!hasEnded) timer = setTimeout(wake, waitMs)
  }
  const wake = (): void => {
    if (running) isWokenAgain = true
    if (hasEnded || running || scheduled) return
    scheduled = setImmediate(() => {
      scheduled = undefined
      clearTimeout(timer)
      isWokenAgain = false
      running = run().finally(() => {
        running = undefined
        if (isWokenAgain) wake()
      })
    })
  }
  wake()
  return {
    wake,
    end: async () => {
      hasEnded = true
      clearTimeout(timer)
      clearImmediate(scheduled)
      await running
    },
  }
}
