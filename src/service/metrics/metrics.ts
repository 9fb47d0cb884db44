import { setTimeout as delay } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client'
import { CrmError } from '../../core/errors.ts'
import type { AnsweredRequest } from '../app.ts'
import type { DeliveryBacklog } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'
import type { StoreObserver } from '../store/store-options.ts'

export interface Metrics {
  /** OpenMetrics text. */
  text(): Promise<string>
  onAnswered(answered: AnsweredRequest): void
  readonly observer: StoreObserver
  /** From then on, its deliveries are counted. */
  watch(store: Store): void
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

const WAIT_SECONDS = [0.001, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** To the writes of one commit at most, see write-queue.ts. */
const COMMIT_WRITES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

/** The methods of routes, and those that clients try; a label must not have any value that a client sends. */
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS']

/** Metrics of the library that walk all sockets at each scrape, and gauges named like counters, which OpenMetrics does not allow. */
const LEFT_OUT = ['handles', 'requests', 'resources'].flatMap((what) => [
  `nodejs_active_${what}`,
  `nodejs_active_${what}_total`,
])

/** Labels have routes, methods and statuses: no key, no path, no id. */
export function createMetrics(now: () => number): Metrics {
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  collectDefaultMetrics({ register: registry })
  for (const name of LEFT_OUT) registry.removeSingleMetric(name)
  const registers = [registry]
  const requests = new Histogram({
    name: 'crm_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response, by the template of its path',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const limited = new Counter({
    name: 'crm_http_rate_limited_requests_total',
    help: 'Requests refused with 429',
    registers,
  })
  const watch = watchDeliveries(registers, now)
  return {
    text: () => registry.metrics(),
    onAnswered: ({ method, route = 'none', status, ms }) => {
      const known = METHODS.includes(method) ? method : 'other'
      requests.observe({ method: known, route, status }, ms / 1000)
      if (status === 429) limited.inc()
    },
    observer: storeObserver(registers),
    watch,
  }
}

function storeObserver(registers: readonly Registry<OpenMetricsContentType>[]): StoreObserver {
  const at = { registers: [...registers] }
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `crm_store_${name}`, help, buckets, ...at })
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `crm_store_${name}`, help, labelNames, ...at })
  const seconds = histogram(
    'commit_duration_seconds',
    'Time of a transaction of writes until it is durable',
    COMMIT_SECONDS,
  )
  const size = histogram('commit_writes', 'Writes that shared a transaction', COMMIT_WRITES)
  const queued = gauge('queued_writes', 'Writes that wait for a transaction')
  const lockWait = histogram('lock_wait_seconds', 'Waits for a lock that another process held', WAIT_SECONDS)
  const connections = gauge('pool_connections', 'Connections to PostgreSQL', 'state')
  const waiting = gauge('pool_waiting_operations', 'Operations that wait for a connection to PostgreSQL')
  return {
    commit: ({ writes, ms }) => {
      seconds.observe(ms / 1000)
      size.observe(writes)
    },
    queued: (writes) => queued.set(writes),
    lockWait: (ms) => lockWait.observe(ms / 1000),
    pool: ({ open, idle, waiting: count }) => {
      connections.set({ state: 'idle' }, idle)
      connections.set({ state: 'used' }, open - idle)
      waiting.set(count)
    },
  }
}

/** How long a count is reused, and how many times longer than it took, so that counting takes 1 % of the time at most. */
const REUSED_MS = 5000
const REUSED_FACTOR = 100

/** A scrape does not wait longer for a count. */
const WAIT_MS = 1000

/** Metrics of the deliveries of a database, counted by a scrape; absent while they cannot be counted. */
function watchDeliveries(registers: Registry<OpenMetricsContentType>[], now: () => number): (store: Store) => void {
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
