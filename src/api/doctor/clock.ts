import type { Finding } from './finding.ts'
import type { Sample } from './probe.ts'

/** Half of the five minutes beyond which receivers of webhooks refuse a signature is far too much already. */
const TOO_FAR_MS = 30_000

interface Skew {
  /** Of the server; above 0 it is ahead of this machine. */
  readonly skewMs: number
  /** At most so far from it, to either side. */
  readonly errorMs: number
}

/** The Date header against our clock in the middle of the round trip. */
export function clockFinding(samples: readonly Sample[]): Finding {
  const check = 'clock'
  const skew = readSkew(samples)
  if (!skew)
    return { check, state: 'unknown', seen: 'not known: no answer has a Date header', found: { skew_ms: null } }
  const { skewMs, errorMs } = skew
  const found = { skew_ms: Math.round(skewMs), error_ms: Math.round(errorMs) }
  const side = skewMs < 0 ? 'behind' : 'ahead of'
  const distance = Math.abs(skewMs) <= errorMs ? 'the same as ours' : `${seconds(Math.abs(skewMs))} ${side} ours`
  const seen = `${distance}, give or take ${seconds(errorMs)}`
  if (Math.abs(skewMs) - errorMs < TOO_FAR_MS) return { check, state: 'ok', seen, found }
  return { check, state: 'warn', seen, found, hint: 'is the clock of this machine right? timedatectl shows it' }
}

/**
 * An answer was made between sending and arrival, in the second that it names: each sample bounds the skew from both sides,
 * and the tightest bounds of all of them hold together unless a clock was set meanwhile.
 */
export function readSkew(samples: readonly Sample[]): Skew | undefined {
  const bounds = samples.flatMap(({ sentAtMs, tookMs, headers }) => {
    const dateMs = Date.parse(headers.date ?? '')
    return Number.isNaN(dateMs) ? [] : [{ least: dateMs - sentAtMs - tookMs, most: dateMs + 1000 - sentAtMs }]
  })
  if (bounds.length === 0) return undefined
  const least = Math.max(...bounds.map((bound) => bound.least))
  const most = Math.min(...bounds.map((bound) => bound.most))
  return { skewMs: (least + most) / 2, errorMs: Math.abs(most - least) / 2 }
}

function seconds(timeMs: number): string {
  return timeMs < 100 ? `${Math.ceil(timeMs)} ms` : `${(timeMs / 1000).toFixed(1)} s`
}
