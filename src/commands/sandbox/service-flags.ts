import { type Command, InvalidArgumentError } from 'commander'
import type { Context } from '../../context.ts'
import { parseDurationWithUnitMs } from '../../core/duration.ts'
import { ownUniqueMembers } from '../../core/resources/own-objects.ts'
import { temporaryFolder } from '../../core/streams.ts'
import { safeText } from '../../output/safe-text.ts'
import type { SandboxTerms } from '../../sandbox/open-sandbox.ts'
import type { RateLimit } from '../../service/rate-limit.ts'
import type { UniqueMember } from '../../service/store/store.ts'
import { collect } from '../fields-input.ts'
import { defineObjectsOf, readObjectsInput } from '../serve/own-objects.ts'
import { readPipelinesFile } from '../serve/seed.ts'
import { parsePort, parseRateLimit } from '../serve/serve-flags.ts'
import { parseUnique } from '../serve/unique.ts'
import { parseClock } from '../time-flags.ts'

export interface ServiceFlags {
  readonly seed?: readonly string[]
  readonly latency?: number
  readonly fail?: Record<string, number>
  readonly rateLimit?: RateLimit | undefined
  readonly clock?: number
  readonly set?: readonly string[]
  readonly host?: string
  readonly port?: number
  readonly objects?: string
  readonly pipelines?: string
  readonly unique?: readonly UniqueMember[]
}

/** What a sandbox contains, and how it behaves. */
export function addServiceFlags(command: object): void {
  ;(command as Command)
    .option('--seed <file>', 'fixtures to load before it is ready (repeatable)', collect)
    .option(
      '--set <path=value>',
      'change a value of the fixtures; path:=json for values other than text (repeatable)',
      collect,
    )
    .option('--objects <file>', 'objects of your own, JSON or YAML')
    .option('--pipelines <file>', 'pipelines and their stages, JSON or YAML')
    .option('--unique <list>', 'members whose values must be unique, such as contacts.email', parseUnique)
    .option('--host <address>', 'listen on this address, such as 0.0.0.0 in a container (default: 127.0.0.1)')
    .option('--port <n>', 'listen on this port (default: a free one)', parsePort)
    .option('--latency <time>', 'delay before each request is handled', parseLatency)
    .option(
      '--fail <kind=n%,...>',
      'percentage of requests that fail: 500, 503, 429, reset; 500-after: after they took effect',
      parseFaults,
    )
    .option('--rate-limit <n/time>', 'requests a key may send (default: none)', parseRateLimit)
    .option('--clock <time>', 'time of the service when it starts, from which the fixtures count', parseClock)
}

/** Defines the objects of `--objects` in this process, so call it before the sandbox is loaded. */
export async function sandboxTerms(
  ctx: Context,
  options: ServiceFlags,
): Promise<Omit<SandboxTerms, 'log' | 'seedEnv' | 'signal'>> {
  const file = options.objects === undefined ? undefined : await readObjectsInput(ctx, options.objects)
  const objects = file && (await defineObjectsOf(ctx, ':memory:', file))
  const pipelines = options.pipelines === undefined ? undefined : await readPipelinesFile(ctx, options.pipelines)
  return {
    host: options.host,
    port: options.port,
    sets: options.set ?? [],
    prepare: async (store) => {
      if (pipelines) await store.putPipelines(pipelines)
      const unique = [...(options.unique ?? []), ...(ownUniqueMembers() as readonly UniqueMember[])]
      if (unique.length > 0) await store.putUniqueMembers(unique)
      if (objects) await store.putObjects(objects)
    },
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

/** The unit is required: 50 would be seconds, but usually means milliseconds. */
function parseLatency(text: string): number {
  const timeMs = parseDurationWithUnitMs(text)
  if (timeMs === undefined) throw new InvalidArgumentError('Expected a time with its unit, such as 50ms or 1s.')
  return timeMs
}
