import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenAt } from '../listen.ts'
import { createMetrics, type Metrics } from './metrics.ts'

export interface MetricsOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  readonly now: () => number
}

export interface RunningMetrics extends Pick<Metrics, 'observer' | 'onAnswered' | 'watch'> {
  readonly url: string
  close(): Promise<void>
}

/** Serves `/metrics` on an address of its own, without a key. Throws a CrmError when the port cannot be used. */
export async function startMetricsServer({ host, port, now }: MetricsOptions): Promise<RunningMetrics> {
  const metrics = createMetrics(now)
  const server = createServer((request, response) => {
    answer(metrics, request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  const address = await listenAt(server, { host, port, portFlag: '--metrics-port' })
  return {
    ...metrics,
    url: `http://${address}/metrics`,
    async close() {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
}

async function answer(metrics: Metrics, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path] = (request.url ?? '').split('?', 1)
  if (path !== '/metrics') return void response.writeHead(404).end('expected /metrics\n')
  if (request.method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end('expected GET\n')
  const text = await metrics.text()
  const isOlder = wantsOlderText(request.headers.accept)
  response.writeHead(200, { 'content-type': isOlder ? TEXT_TYPE : OPENMETRICS_TYPE, 'cache-control': 'no-store' })
  response.end(isOlder ? olderText(text) : canonical(text))
}

const OPENMETRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** OpenMetrics writes the bounds of buckets with a fraction ("canonical numbers"), which prom-client leaves out. */
function canonical(openMetrics: string): string {
  return openMetrics.replaceAll(/([{,](?:le|quantile)=")(\d+)"/g, '$1$2.0"')
}

/** The older text format, for programs that accept `text/plain` alone: there, counters are named like their samples. */
function olderText(openMetrics: string): string {
  const counters = new Set([...openMetrics.matchAll(/^# TYPE (\S+) counter$/gm)].map(([, name]) => name))
  return openMetrics
    .replaceAll(/^(# (?:HELP|TYPE) )(\S+)/gm, (line, start, name) =>
      counters.has(name) ? `${start}${name}_total` : line,
    )
    .replace(/# EOF\n$/, '')
}

/** OpenMetrics unless the client accepts text alone. */
function wantsOlderText(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/plain\b/.test(accept) && !/application\/openmetrics-text/.test(accept)
}
