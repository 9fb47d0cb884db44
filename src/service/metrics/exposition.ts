export const OPENMETRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

export const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** OpenMetrics writes the bounds of buckets with a fraction ("canonical numbers"), which prom-client leaves out. */
export function canonical(openMetrics: string): string {
  return openMetrics.replaceAll(/([{,](?:le|quantile)=")(\d+)"/g, '$1$2.0"')
}

/** The older text format, for programs that accept `text/plain` alone: there, counters are named like their samples. */
export function olderText(openMetrics: string): string {
  const counters = new Set([...openMetrics.matchAll(/^# TYPE (\S+) counter$/gm)].map(([, name]) => name))
  return openMetrics
    .replaceAll(/^(# (?:HELP|TYPE) )(\S+)/gm, (line, start, name) =>
      counters.has(name) ? `${start}${name}_total` : line,
    )
    .replace(/# EOF\n$/, '')
}

/** OpenMetrics unless the client accepts text alone. */
export function wantsOlderText(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/plain\b/.test(accept) && !/application\/openmetrics-text/.test(accept)
}
