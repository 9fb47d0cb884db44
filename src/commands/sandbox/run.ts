import { tmpdir } from 'node:os'
import { isatty } from 'node:tty'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { safeText } from '../../output/safe-text.ts'
import { examples } from '../examples.ts'
import { collect } from '../fields-input.ts'
import { parseRateLimit, type RateLimit } from '../serve/limits.ts'
import { parseClock, parseFaults, parseLatency } from './faults-input.ts'

interface Options {
  readonly seed?: readonly string[]
  readonly latency?: number
  readonly fail?: Record<string, number>
  readonly rateLimit?: RateLimit | undefined
  readonly clock?: number
  readonly keepLog?: string
}

export function addSandboxRun(sandbox: CommandUnknownOpts, act: Act): void {
  sandbox
    .command('run <command> [args...]')
    .summary('run a command beside a service of its own')
    .description(
      'run a command beside a service of its own, on a database in memory, that is gone when the command ends; crm ends with its exit code',
    )
    .option('--seed <file>', 'fixtures that are there when the command starts (repeatable)', collect)
    .option('--latency <time>', 'wait so long before each request is taken up', parseLatency)
    .option(
      '--fail <kind=n%,...>',
      'so many requests fail: 500, 503, 429, reset; 500-after: after they took effect',
      parseFaults,
    )
    .option('--rate-limit <n/time>', 'requests a key may send (default: none)', parseRateLimit)
    .option('--clock <time>', 'what the service takes for the time when it starts', parseClock)
    .option('--keep-log <file>', 'log the requests here, and keep the log when the command fails')
    .passThroughOptions()
    .addHelpText(
      'after',
      examples(
        'crm sandbox run -- npm test',
        'crm sandbox run --seed demo.yaml -- npm test',
        'crm sandbox run --fail 500=2%,reset-after=1% --latency 50ms -- npm test',
      ),
    )
    .action(act(runCommand))
}

async function runCommand(ctx: Context, command: string, args: readonly string[], options: Options): Promise<number> {
  const { runInSandbox } = await ctx.sandbox()
  return runInSandbox({
    terms: {
      seed: options.seed ?? [],
      latencyMs: options.latency ?? 0,
      fail: options.fail ?? {},
      rateLimit: options.rateLimit,
      clockMs: options.clock,
      parent: ctx.env.TMPDIR || tmpdir(),
      version: ctx.version,
      onMistake: (text) => ctx.io.stderr.write(`${safeText(text)}\n`),
    },
    command,
    args,
    env: ctx.env,
    signal: ctx.signal,
    isOnTerminal: [0, 1, 2].some((fd) => isatty(fd)),
    keepLog: options.keepLog,
  })
}
