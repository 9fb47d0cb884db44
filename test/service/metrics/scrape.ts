import { onTestFinished } from 'vitest'
import { type RunningMetrics, startMetricsServer } from '../../../src/service/metrics/metrics-server.ts'
import { openTestStore } from '../../harness/database.ts'
import { serveForTest, type TestService } from '../serve-for-test.ts'

export interface Measured extends TestService {
  readonly metrics: RunningMetrics
  scrape(accept?: string): Promise<string>
}

/** A service on a new database, with metrics of it and of its store. */
export async function serveMeasured(more: Parameters<typeof serveForTest>[0] = {}): Promise<Measured> {
  const metrics = await startMetricsServer({ host: '127.0.0.1', port: 0, now: Date.now })
  onTestFinished(() => metrics.close())
  const store = await openTestStore({ observer: metrics.observer })
  metrics.watch(store)
  const service = await serveForTest({ store, onAnswered: metrics.onAnswered, ...more })
  const scrape = async (accept?: string) =>
    (await fetch(metrics.url, { headers: accept === undefined ? {} : { accept } })).text()
  return { ...service, metrics, scrape }
}

/** Samples as `name{labels}` and their values, without the buckets of histograms. */
export function samples(text: string, name: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line.startsWith(name) && !line.includes('_bucket'))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}
