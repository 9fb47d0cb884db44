import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { writeText } from '../../core/streams.ts'
import { examples } from '../command-tree.ts'
import { printOne } from '../print.ts'
import { parseSpan } from '../time-flags.ts'
import { addNameFlag, type NameFlag, nameWords, refuseProfile, sandboxName } from './name-flag.ts'
import { addServiceFlags, type ServiceFlags, sandboxTerms } from './service-flags.ts'

interface Options extends ServiceFlags, NameFlag {
  readonly ttl?: number
  readonly log?: string
  readonly foreground?: true
}

const DAY_MS = 24 * 60 * 60 * 1000

/** A timer of Node holds no more than 24 days. */
const LONGEST_MS = 7 * DAY_MS

const USUAL_MS = 60 * 60 * 1000

export function addSandboxStart(sandbox: CommandUnknownOpts, act: Act): void {
  const start = sandbox
    .command('start')
    .summary('start a service that outlives this command')
    .description(
      'start a service on a database in memory, which outlives this command and ends itself; `crm sandbox env` prints how to use it',
    )
    .option('--ttl <time>', 'how long it runs, up to 7d (default: 1h)', parseSpan)
    .option('--foreground', 'run in this process, until a signal or the end of its time')
    .option('--log <file>', 'a line of JSON for each request')
    .addHelpText(
      'after',
      examples('crm sandbox start --seed demo.yaml --ttl 30m', 'eval "$(crm sandbox env)"', 'crm sandbox stop'),
    )
    .action(act(startSandbox))
  addNameFlag(start)
  addServiceFlags(start)
}

async function startSandbox(ctx: Context, options: Options): Promise<number | undefined> {
  refuseProfile(ctx)
  const { ttl: ttlMs = USUAL_MS } = options
  if (ttlMs > LONGEST_MS || ttlMs < 1000) {
    throw new CrmError('usage', '--ttl is out of range', { hint: 'expected 1s to 7d, such as --ttl 1h' })
  }
  return options.foreground ? hold(ctx, ttlMs, options) : startAnother(ctx, options)
}

async function hold(ctx: Context, ttlMs: number, options: Options): Promise<undefined> {
  const terms = await sandboxTerms(ctx, options)
  const { holdSandbox } = await import('../../sandbox/hold-sandbox.ts')
  await holdSandbox({
    name: await sandboxName(ctx, options),
    ttlMs,
    env: ctx.env,
    signal: ctx.signal,
    log: options.log,
    terms,
    onReady: ({ name, baseUrl, endsAtMs, process: { pid } }) => {
      const ready = { name, base_url: baseUrl, ends_at: new Date(endsAtMs).toISOString(), pid }
      ctx.io.stdout.write(`${JSON.stringify(ready)}\n`)
    },
  })
}

/** The same command line in a process of its own, which says when it is ready. */
async function startAnother(ctx: Context, options: NameFlag): Promise<number | undefined> {
  if (ctx.program === undefined) throw new Error('a sandbox is started by the launcher of crm alone')
  const { startInBackground } = await import('../../sandbox/start-in-background.ts')
  const argv = [...ctx.argv, '--foreground']
  const started = await startInBackground({ program: ctx.program, argv, env: ctx.env, signal: ctx.signal })
  if ('exit' in started) {
    ctx.io.stderr.write(started.stderr)
    return started.exit
  }
  const ready = JSON.parse(started.ready)
  if (ctx.flags.output === 'id') await writeText(ctx.io.stdout, `${ready.name}\n`)
  else await printOne(ctx, ready)
  ctx.note(`Use it: eval "$(crm sandbox env${nameWords(options)})"; end it: crm sandbox stop${nameWords(options)}`)
  return undefined
}
