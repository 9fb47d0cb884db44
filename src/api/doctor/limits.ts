import { rateDialect, readRateSignal } from '../limits/rate-headers.ts'
import type { Finding } from './finding.ts'
import type { Probe } from './probe.ts'

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
