import { setTimeout as delay } from 'node:timers/promises'
import { Counter, Gauge, type OpenMetricsContentType, type Registry } from 'prom-client'
import { CrmError } from '../../core/errors.ts'
import type { DeliveryBacklog } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'

/** How long a count is reused, and how many times longer than it took, so that counting takes 1 % of the time at most. */
const REUSED_MS = 5000
const REUSED_FACTOR = 100

/** A scrape does not wait longer for a count. */
const WAIT_MS = 1000

/** Metrics of the deliveries of a database, counted by a scrape; absent while they cannot be counted. */
export function watchDeliveries(
  registers: Registry<OpenMetricsContentType>[],
  now: () => number,
): (store: Store) => void {
  let latest: () => Promise<DeliveryBacklog | undefined> = async () => undefined
  const failures = new Counter({
    name: 'crm_delivery_count_failures_total',
    help: 'Scrapes that could not count the deliveries',
    registers,
    // So that the scrape that could not count them says so.
    collect: async () => void (await latest()),
  })
  const gauge = (name: string, help: string, read: (backlog: DeliveryBacklog) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const backlog = await latest()
        if (backlog) this.set(read(backlog))
        else this.remove()
      },
    })
  gauge('crm_deliveries_open', 'Deliveries of the database that have not ended', ({ open }) => open)
  gauge('crm_deliveries_failing', 'Open deliveries with a failed attempt', ({ failing }) => failing)
  gauge('crm_deliveries_oldest_seconds', 'Age of the oldest event that is not delivered', ({ oldestEventMs }) =>
    oldestEventMs === undefined ? 0 : Math.max(0, now() - oldestEventMs) / 1000,
  )
  return (store) => {
    latest = countedSometimes(store, () => failures.inc())
  }
}

function countedSometimes(store: Store, onFailure: () => void): () => Promise<DeliveryBacklog | undefined> {
  let known: DeliveryBacklog | undefined
  let counting: Promise<void> | undefined
  let reusedUntilMs = 0
  const count = async (): Promise<void> => {
    const startMs = performance.now()
    try {
      known = await store.deliveries.backlog()
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      known = undefined
      onFailure()
    } finally {
      const endMs = performance.now()
      reusedUntilMs = endMs + Math.max(REUSED_MS, (endMs - startMs) * REUSED_FACTOR)
      counting = undefined
    }
  }
  return async () => {
    if (performance.now() < reusedUntilMs) return known
    counting ??= count()
    await Promise.race([counting, delay(WAIT_MS, undefined, { ref: false })])
    return known
  }
}
