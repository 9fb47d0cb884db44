import { oneLine } from '../errors/one-line.ts'
import { rateDialect, readRateSignal } from '../limits/rate-headers.ts'
import { readRetirement } from '../transport/retirement.ts'
import type { Finding } from './finding.ts'
import type { Probe, Sample } from './probe.ts'

/** Versions of programs on the way (`x-varnish-version`) say nothing of the interface. */
const VERSION_HEADER = /^(?:x-)?(?:api-(?:supported-)?versions?|(?:stripe|github-api|salesforce)-version|version)$/

const SLOW_MS = 2000

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

/** The median of small requests on a connection that stands; the first one of all, which opened it, is left out. */
export function latencyFinding(samples: readonly Sample[]): Finding {
  const times = samples.slice(1).map(({ tookMs }) => tookMs)
  const sorted = (times.length > 0 ? times : samples.map(({ tookMs }) => tookMs)).toSorted((a, b) => a - b)
  const [least = 0, most = 0] = [sorted[0], sorted.at(-1)]
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const found = { median_ms: round(median), least_ms: round(least), most_ms: round(most), requests: sorted.length }
  const seen = `median ${round(median)} ms of ${sorted.length} requests (${round(least)} to ${round(most)} ms)`
  if (median < SLOW_MS) return { check: 'latency', state: 'ok', seen, found }
  return {
    check: 'latency',
    state: 'warn',
    seen,
    found,
    hint: 'long lists take long; --timeout 2m gives slow answers time',
  }
}

/** Below 10 ms a tenth counts. */
function round(timeMs: number): number {
  return timeMs < 10 ? Math.round(timeMs * 10) / 10 : Math.round(timeMs)
}

/** The limit that the last answer stated, and in which dialect. */
export function limitsFinding({ samples, options }: Probe): Finding {
  const check = 'limits'
  const headers = samples.at(-1)?.headers ?? {}
  const dialect = rateDialect(headers, options.now())
  const signal = readRateSignal(headers, options.now())
  if (dialect === undefined || !signal) {
    const said = shownHeaders(headers)
    const seen = said === '' ? 'no header states one' : `no header that crm reads states one (${said})`
    return { check, state: 'ok', seen: `${seen}; refusals are waited out`, found: { dialect: null } }
  }
  const { limit, remaining, resetInMs } = signal
  const found = { dialect, limit: limit ?? null, remaining, reset_ms: resetInMs }
  return { check, state: 'ok', seen: `${dialect}: ${shownHeaders(headers)}`, found }
}

function shownHeaders(headers: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(headers).filter(([name]) => /rate-?limit/i.test(name))
  return entries.map(([name, value]) => `${name}: ${String(value)}`).join(' | ')
}

/** What the answers say of the version of the interface, and of its end. */
export function versionFinding(samples: readonly Sample[]): Finding {
  const check = 'version'
  const all = samples.map(({ headers }) => headers)
  const named = all.flatMap((headers) => Object.entries(headers).filter(([name]) => VERSION_HEADER.test(name)))
  const versions = Object.fromEntries(named.map(([name, value]) => [name, oneLine(String(value), 60)]))
  const retirement = all.map(readRetirement).find((told) => told !== undefined)
  const told = Object.entries(versions).map(([name, value]) => `${name}: ${value}`)
  const seen = ['v1 in the path', ...told, retirement ?? 'no answer says that it goes away'].join('; ')
  const found = { path: 'v1', headers: versions, retirement: retirement ?? null }
  if (retirement === undefined) return { check, state: 'ok', seen, found }
  return { check, state: 'warn', seen, found, hint: 'ask whoever runs the server what comes after it' }
}
