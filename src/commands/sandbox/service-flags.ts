import { type Command, InvalidArgumentError } from 'commander'
import type { Context } from '../../context.ts'
import { parseDurationWithUnitMs } from '../../core/duration.ts'
import { temporaryFolder } from '../../core/streams.ts'
import { safeText } from '../../output/safe-text.ts'
import type { SandboxTerms } from '../../sandbox/open-sandbox.ts'
import type { RateLimit } from '../../service/rate-limit.ts'
import { collect } from '../fields-input.ts'
import { parseRateLimit } from '../serve/serve-flags.ts'

export interface ServiceFlags {
  readonly seed?: readonly string[]
  readonly latency?: number
  readonly fail?: Record<string, number>
  readonly rateLimit?: RateLimit | undefined
  readonly clock?: number
}

/** What a sandbox contains, and how it behaves. */
export function addServiceFlags(command: object): void {
  ;(command as Command)
    .option('--seed <file>', 'fixtures to load before it is ready (repeatable)', collect)
    .option('--latency <time>', 'delay before each request is handled', parseLatency)
    .option(
      '--fail <kind=n%,...>',
      'percentage of requests that fail: 500, 503, 429, reset; 500-after: after they took effect',
      parseFaults,
    )
    .option('--rate-limit <n/time>', 'requests a key may send (default: none)', parseRateLimit)
    .option('--clock <time>', 'time of the service when it starts', parseClock)
}

export function sandboxTerms(
  ctx: Pick<Context, 'env' | 'io' | 'version'>,
  options: ServiceFlags,
): Omit<SandboxTerms, 'log' | 'seedEnv' | 'signal'> {
  return {
    seed: options.seed ?? [],
    latencyMs: options.latency ?? 0,
    fail: options.fail ?? {},
    rateLimit: options.rateLimit,
    clockMs: options.clock,
    parent: temporaryFolder(ctx.env),
    version: ctx.version,
    onMistake: (text) => ctx.io.stderr.write(`${safeText(text)}\n`),
  }
}

/** `500=2%,reset=1%`: percentages by kind of failure. */
function parseFaults(text: string): Record<string, number> {
  const shares: Record<string, number> = {}
  for (const part of text.split(',')) {
    const { kind, percent } = /^\s*(?<kind>[\w-]+)=(?<percent>\d+(?:\.\d+)?)%\s*$/.exec(part)?.groups ?? {}
    if (kind === undefined || percent === undefined) {
      throw new InvalidArgumentError('Expected kinds of failure with percentages, such as 500=2%,reset=1%.')
    }
    shares[kind] = (shares[kind] ?? 0) + Number(percent)
  }
  return shares
}

/** An RFC 3339 time, or a day. */
function parseClock(text: string): number {
  const timeMs = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  // Date.parse reads 31 February as 3 March.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  const isDay = !Number.isNaN(day.valueOf()) && day.toISOString().startsWith(text.slice(0, 10))
  if (Number.isNaN(timeMs) || !isDay) throw new InvalidArgumentError('Expected a time such as 2026-01-01T00:00:00Z.')
  return timeMs
}

/** The unit is required: 50 would be seconds, but usually means milliseconds. */
function parseLatency(text: string): number {
  const timeMs = parseDurationWithUnitMs(text)
  if (timeMs === undefined) throw new InvalidArgumentError('Expected a time with its unit, such as 50ms or 1s.')
  return timeMs
}
