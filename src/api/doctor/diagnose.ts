import { durationText } from '../../core/duration.ts'
import { CrmError } from '../../core/errors.ts'
import { baseUrlText } from '../../core/http-rules.ts'
import { shellWord } from '../../core/shell-words.ts'
import { NO_REFERENCES } from '../connectors/references.ts'
import { createExchange } from '../connectors/resource-exchange.ts'
import { oneLine } from '../errors/one-line.ts'
import { rateDialect, readRateSignal } from '../limits/rate-headers.ts'
import type { ApiOptions } from '../options.ts'
import { badPage } from '../pages/page-errors.ts'
import { settingCommand } from '../server-terms.ts'
import { readRetirement } from '../transport/headers.ts'
import { CHECKS, type CheckName, type Finding, failed, namingAddress, notAsked } from './finding.ts'
import { openProbe, type Probe, type ProbeAnswer, type ProbeTarget } from './probe.ts'
import { checkReach } from './reach.ts'

/**
 * The findings about a server, in the order of CHECKS. Sends the requests by which the connector lists contacts, and writes
 * nothing. CrmError `interrupted` if the signal aborts.
 */
export async function diagnose(target: ProbeTarget): Promise<readonly Finding[]> {
  const reach = await checkReach(target)
  if (target.key === undefined) return complete(reach.findings, 'no key', target)
  if (!reach.isOpen) return complete(reach.findings, 'the server cannot be reached', target)
  const probe = openProbe(target, target.key)
  try {
    return complete([...reach.findings, ...(await checkConnected(probe))], 'the server stopped answering', target)
  } finally {
    await probe.http.close()
  }
}

function complete(findings: readonly Finding[], why: string, target: ProbeTarget): readonly Finding[] {
  return CHECKS.map((check) => findings.find((finding) => finding.check === check) ?? notAsked(check, why)).map(
    (finding) => withAddress(namingAddress(finding, target.terms), target),
  )
}

/** With a hint where the address is probably another one. */
function withAddress(finding: Finding, target: ProbeTarget): Finding {
  const hint = otherAddress(finding, target) ?? otherServer(finding, target)
  if (!finding.failure || !hint) return finding
  const {
    code,
    message,
    details: { repeat: _, ...details },
  } = finding.failure
  return { ...finding, hint, failure: new CrmError(code, message, { ...details, hint }) }
}

/** A server that drops plain http often expects TLS; a path of the API may have been given with the address. */
function otherAddress({ check, failure }: Finding, { baseUrl, terms }: ProbeTarget): string | undefined {
  if (check !== 'records') return undefined
  if (failure?.code === 'unreachable' && baseUrl.protocol === 'http:') return `is it https://${baseUrl.host}?`
  const without = baseUrl.href.replace(/\/v1\/?$/, '')
  if (failure?.code !== 'not_found' || without === baseUrl.href) return undefined
  return `crm adds /v1 itself: ${settingCommand(`base_url ${shellWord(without)}`, terms)}`
}

/** A stranger refuses the path of contacts, too, as if the key were wrong; a refusal of `crm serve` has a code. */
function otherServer({ failure, hint }: Finding, { baseUrl, terms, connector }: ProbeTarget): string | undefined {
  const { offers, error } = connector.document
  if (!failure || !['unauthorized', 'forbidden', 'not_found'].includes(failure.code)) return undefined
  const isCoded = error.code !== undefined && failure.details.serverCode !== undefined
  const isForServe = offers !== undefined
  if (isForServe && isCoded) return undefined
  const profile = terms.profile === undefined ? '' : ` -p ${shellWord(terms.profile)}`
  const probe = `crm connectors create --probe ${shellWord(baseUrlText(baseUrl))}${profile} --out mycrm.yaml`
  if (isForServe)
    return `${hint}; the server may not be crm serve, whose refusals have a code; for another CRM: ${probe}`
  return failure.code === 'not_found' ? `${hint}; for another CRM: ${probe}` : undefined
}

const LATENCY_REQUESTS = 5

/** The findings about a server that can be reached: whether it accepts the key, and answers as the connector says. */
async function checkConnected(probe: Probe): Promise<readonly Finding[]> {
  const { connector } = probe.options
  const { name, document } = connector
  const rules = connector.rules('contact')
  const exchange = createExchange(
    { connector, references: NO_REFERENCES, http: probe.http },
    { resource: 'contact', parent: undefined },
  )
  const texts = { action: 'list contacts', command: 'crm contacts list', findCommand: undefined }
  const call = exchange.call(rules.pageRequest(undefined, 1, {}), texts)
  const first = await probe.ask(call)
  if (!('answer' in first)) return [...refused(first.error), ...headerFindings(probe)]
  for (let nth = 0; nth < LATENCY_REQUESTS && !probe.outage(); nth++) await probe.ask(call)
  const page = rules.readPage(first.answer, {}, NO_REFERENCES)
  const keys = document.idempotency
  return [
    { check: 'key', state: 'ok', seen: 'the server accepts it' },
    latencyFinding(probe.samples),
    typeof page === 'string'
      ? failed('records', badPage(call, page, connector.mismatchHint))
      : { check: 'records', state: 'ok', seen: `contacts are read as the connector ${name} describes` },
    { check: 'paging', state: 'ok', seen: `by ${rules.paging.by}, as the connector ${name} states` },
    {
      check: 'idempotency',
      state: 'ok',
      seen: typeof keys === 'string' ? `${keys}, as the connector ${name} states` : `${keys.header} is sent`,
    },
    ...headerFindings(probe),
  ]
}

/** Without a page of records, nothing else can be checked. */
function refused(error: CrmError): readonly Finding[] {
  const isKey = error.code === 'unauthorized' || error.code === 'forbidden'
  const others: readonly CheckName[] = [...(isKey ? (['records'] as const) : []), 'latency', 'paging', 'idempotency']
  return [failed(isKey ? 'key' : 'records', error), ...others.map((check) => notAsked(check, error.message))]
}

/** Findings from the headers of any answer, including refusals. */
function headerFindings(probe: Probe): readonly Finding[] {
  const { samples } = probe
  return samples.length === 0 ? [] : [clockFinding(samples), limitsFinding(probe), versionFinding(samples)]
}

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
function latencyFinding(samples: readonly ProbeAnswer[]): Finding {
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
function limitsFinding({ samples, options }: Probe): Finding {
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
function versionFinding(samples: readonly ProbeAnswer[]): Finding {
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
