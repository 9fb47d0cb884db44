import { durationText } from '../../core/duration.ts'
import { oneLine } from '../errors/one-line.ts'
import { rateDialect, readRateSignal } from '../limits/rate-headers.ts'
import type { ApiOptions } from '../options.ts'
import { readRetirement } from '../transport/headers.ts'
import type { Finding } from './finding.ts'
import type { Probe, ProbeAnswer } from './probe.ts'

/** Versions of programs between (`x-varnish-version`) are not that of the API. */
const VERSION_HEADER = /^(?:x-)?(?:api-(?:supported-)?versions?|(?:stripe|github-api|salesforce)-version|version)$/

const SLOW_MS = 2000

/** Receivers of webhooks refuse signatures that are five minutes off; much less is a problem already. */
const TOO_FAR_MS = 30_000

interface Skew {
  /** The server's clock minus that of this machine. */
  readonly skewMs: number
  /** The largest possible error of `skewMs`, in either direction. */
  readonly errorMs: number
}

/** Compares the Date headers with the clock of this machine. */
export function clockFinding(samples: readonly ProbeAnswer[]): Finding {
  const check = 'clock'
  const skew = readSkew(samples)
  if (!skew) return { check, state: 'unknown', seen: 'unknown: no answer has a Date header', found: { skew_ms: null } }
  const { skewMs, errorMs } = skew
  const found = { skew_ms: Math.round(skewMs), error_ms: Math.round(errorMs) }
  const side = skewMs < 0 ? 'behind' : 'ahead of'
  const distance = Math.abs(skewMs) <= errorMs ? 'same time as' : `${seconds(Math.abs(skewMs))} ${side}`
  const seen = `${distance} this machine, ± ${seconds(errorMs)}`
  if (Math.abs(skewMs) - errorMs < TOO_FAR_MS) return { check, state: 'ok', seen, found }
  return { check, state: 'warn', seen, found, hint: 'is the clock of this machine right? timedatectl shows it' }
}

/**
 * An answer is dated after its request was sent and before it was received, to the second. So each sample bounds the skew on
 * both sides, and the tightest bounds of all samples apply unless a clock was set meanwhile.
 */
export function readSkew(samples: readonly ProbeAnswer[]): Skew | undefined {
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

/** The median of small requests on an open connection; the first request, which opened it, does not count. */
export function latencyFinding(samples: readonly ProbeAnswer[]): Finding {
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
    hint: 'long lists take time; --timeout 2m allows for slow answers',
  }
}

/** To a tenth below 10 ms. */
function round(timeMs: number): number {
  return timeMs < 10 ? Math.round(timeMs * 10) / 10 : Math.round(timeMs)
}

/** The rate limit in the last answer, and its header dialect. */
export function limitsFinding({ samples, options }: Probe): Finding {
  const check = 'limits'
  const headers = samples.at(-1)?.headers ?? {}
  const dialect = rateDialect(headers, options.now())
  const signal = readRateSignal(headers, options.now())
  if (dialect === undefined || !signal) {
    const shown = shownHeaders(headers)
    const seen = shown === '' ? 'no header states a limit' : `no header that crm recognises states a limit (${shown})`
    return { check, state: 'ok', seen: `${seen}; ${keptLimits(options)}`, found: { dialect: null } }
  }
  const { limit, remaining, resetInMs } = signal
  const found = { dialect, limit: limit ?? null, remaining, reset_ms: resetInMs }
  return { check, state: 'ok', seen: `${dialect}: ${shownHeaders(headers)}`, found }
}

/** What crm does without a header. */
function keptLimits({ connector }: Pick<ApiOptions, 'connector'>): string {
  const { limits = [], name } = connector?.document ?? {}
  if (limits.length === 0) return 'crm waits after a refusal'
  const texts = limits.map(({ requests, perMs }) => `${requests} per ${durationText(perMs)}`)
  return `crm keeps to the limit that the connector ${name} states: ${texts.join(' and ')}`
}

function shownHeaders(headers: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(headers).filter(([name]) => /rate-?limit/i.test(name))
  return entries.map(([name, value]) => `${name}: ${String(value)}`).join(' | ')
}

/** The version of the API by the answers, and its deprecation. */
export function versionFinding(samples: readonly ProbeAnswer[]): Finding {
  const check = 'version'
  const all = samples.map(({ headers }) => headers)
  const named = all.flatMap((headers) => Object.entries(headers).filter(([name]) => VERSION_HEADER.test(name)))
  const versions = Object.fromEntries(named.map(([name, value]) => [name, oneLine(String(value), 60)]))
  const retirement = all.map(readRetirement).find((stated) => stated !== undefined)
  const stated = Object.entries(versions).map(([name, value]) => `${name}: ${value}`)
  const seen = [...stated, retirement ?? 'no deprecation announced'].join('; ')
  const found = { headers: versions, retirement: retirement ?? null }
  if (retirement === undefined) return { check, state: 'ok', seen, found }
  return { check, state: 'warn', seen, found, hint: 'ask the operator of the server for its successor' }
}
