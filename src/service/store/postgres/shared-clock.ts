import { CrmError } from '../../../core/errors.ts'
import type { PostgresDatabase } from './database.ts'

/** Clocks of machines drift by milliseconds in this time, and are set at any time. */
const MEASURED_EVERY_MS = 30_000

/** The fastest of so many answers shows the clock best. */
const SAMPLES = 3

export interface SharedClock {
  now(): number
  close(): void
}

/**
 * The clock of the machine of the database: that of this process, with the difference that is measured again and again. Leases
 * and due times of processes on several machines need one clock.
 */
export async function followClock(database: PostgresDatabase, own: () => number): Promise<SharedClock> {
  let differenceMs = await measure(database, own)
  const timer = setInterval(() => {
    measure(database, own).then(
      (measured) => {
        differenceMs = measured
      },
      (error: unknown) => {
        // The last difference holds while the database is away, or refuses.
        if (!(error instanceof CrmError)) throw error
      },
    )
  }, MEASURED_EVERY_MS)
  timer.unref()
  return { now: () => own() + differenceMs, close: () => clearInterval(timer) }
}

async function measure(database: PostgresDatabase, own: () => number): Promise<number> {
  let best = { tripMs: Number.POSITIVE_INFINITY, differenceMs: 0 }
  for (let sample = 0; sample < SAMPLES; sample++) {
    const startMs = own()
    const [thereMs = startMs] =
      (await database.get<[number]>('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint')) ?? []
    const tripMs = Math.abs(own() - startMs)
    if (tripMs < best.tripMs) best = { tripMs, differenceMs: thereMs - (startMs + tripMs / 2) }
  }
  // Within what a round trip can show, the clocks are equal.
  return Math.abs(best.differenceMs) <= best.tripMs + 1 ? 0 : Math.round(best.differenceMs)
}
