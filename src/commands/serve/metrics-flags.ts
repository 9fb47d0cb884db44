import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { CrmError } from '../../core/errors.ts'
import type { RunningMetrics } from '../../service/metrics/metrics-server.ts'
import { parsePort } from './serve-flags.ts'

export interface MetricsFlags {
  readonly metricsPort?: number
  readonly metricsHost?: string
}

/** Adds them to `crm serve`. */
export function addMetricsFlags<Command extends CommandUnknownOpts>(serve: Command): Command {
  serve
    .option('--metrics-port <n>', 'serve /metrics, in OpenMetrics text, on this port; 0 takes a free one', parsePort)
    .option('--metrics-host <address>', 'listen on this address for it (default: 127.0.0.1)')
  return serve
}

/** Undefined without the flag: nothing is loaded, and nothing counted. */
export async function startMetrics(
  { metricsPort: port, metricsHost }: MetricsFlags,
  now: () => number,
): Promise<RunningMetrics | undefined> {
  if (port === undefined) {
    if (metricsHost === undefined) return undefined
    throw new CrmError('usage', '--metrics-host needs --metrics-port', {
      hint: `crm serve --metrics-host ${metricsHost} --metrics-port 9464`,
    })
  }
  const metrics = await import('../../service/metrics/metrics-server.ts')
  return metrics.startMetricsServer({ host: metricsHost ?? '127.0.0.1', port, now })
}
